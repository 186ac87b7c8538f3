import type { Transport } from './transport.ts'
import { IncusError } from './errors.ts'

/** Counters start at zero when the instance starts. */
export interface InstanceMetrics {
  name: string
  project: string
  type: string
  /** Used CPU time in seconds, without idle time, I/O wait and steal. */
  cpuSeconds: number
  /** Used memory in bytes, without caches. */
  memoryUsed: number
  /** Memory limit in bytes. */
  memoryTotal: number
  /** Used bytes of the root file system. Always 0 on btrfs pools; use `instances.listWithState` there. */
  diskUsed: number
  diskTotal: number
  diskReadBytes: number
  diskWrittenBytes: number
  networkReceivedBytes: number
  networkSentBytes: number
  processes: number
}

const IDLE_MODES = new Set(['idle', 'iowait', 'steal'])

export async function fetchMetrics(transport: Transport): Promise<InstanceMetrics[]> {
  const response = await transport.raw('GET', '/1.0/metrics', { timeout: 60 })
  const text = await transport.readText(response)
  if (response.statusCode !== 200)
    throw IncusError.fromAnswer(response.statusCode, text.slice(0, 300))
  return parseMetrics(text)
}

/**
 * Parses Incus's OpenMetrics text. Example of a line:
 * `incus_cpu_seconds_total{cpu="0",mode="user",name="a",project="default",type="container"} 1.5`.
 */
export function parseMetrics(text: string): InstanceMetrics[] {
  const instances = new Map<string, Gathered>()
  for (let from = 0, end = 0; from < text.length; from = end + 1) {
    end = text.indexOf('\n', from)
    if (end < 0) end = text.length
    const open = text.indexOf('{', from)
    if (open < 0) break
    const gather = open < end && gatherers.get(text.slice(from, open))
    if (!gather) continue
    const close = text.lastIndexOf('} ', end)
    const labels = text.slice(open + 1, close)
    const name = labelOf(labels, 'name')
    if (!name) continue
    const project = labelOf(labels, 'project') ?? 'default'
    const key = `${project}/${name}`
    let metrics = instances.get(key)
    if (!metrics) {
      metrics = { ...empty, name, project, type: labelOf(labels, 'type') ?? 'container' }
      instances.set(key, metrics)
    }
    gather(metrics, parseFloat(text.slice(close + 2, end)), labels)
  }
  return [...instances.values()].map(({ available, ...metrics }) => ({
    ...metrics,
    memoryUsed: Math.max(0, metrics.memoryTotal - available),
  }))
}

/** Values escape quotes as `\"`, so a value cannot imitate a label. */
function labelOf(labels: string, name: string): string | undefined {
  const mark = `${name}="`
  const isFirst = labels.startsWith(mark)
  const at = isFirst ? 0 : labels.indexOf(`,${mark}`) + 1
  if (at === 0 && !isFirst) return undefined
  const from = at + mark.length
  return labels.slice(from, labels.indexOf('"', from))
}

type Gathered = InstanceMetrics & { available: number }
type Gather = (into: Gathered, value: number, labels: string) => void

/** By the metric's name. Other metrics are ignored. */
const gatherers = new Map<string, Gather>([
  [
    'incus_cpu_seconds_total',
    (into, value, labels) => {
      if (!IDLE_MODES.has(labelOf(labels, 'mode') ?? '')) into.cpuSeconds += value
    },
  ],
  ['incus_memory_MemTotal_bytes', (into, value) => void (into.memoryTotal = value)],
  ['incus_memory_MemAvailable_bytes', (into, value) => void (into.available = value)],
  [
    'incus_filesystem_size_bytes',
    (into, value, labels) => {
      if (labelOf(labels, 'mountpoint') === '/') into.diskTotal = value
    },
  ],
  [
    'incus_filesystem_avail_bytes',
    (into, value, labels) => {
      if (labelOf(labels, 'mountpoint') === '/') into.diskUsed = Math.max(0, into.diskTotal - value)
    },
  ],
  ['incus_disk_read_bytes_total', (into, value) => void (into.diskReadBytes += value)],
  ['incus_disk_written_bytes_total', (into, value) => void (into.diskWrittenBytes += value)],
  [
    'incus_network_receive_bytes_total',
    (into, value, labels) => {
      if (labelOf(labels, 'device') !== 'lo') into.networkReceivedBytes += value
    },
  ],
  [
    'incus_network_transmit_bytes_total',
    (into, value, labels) => {
      if (labelOf(labels, 'device') !== 'lo') into.networkSentBytes += value
    },
  ],
  ['incus_procs_total', (into, value) => void (into.processes = value)],
])

const empty: Omit<Gathered, 'name' | 'project' | 'type'> = {
  cpuSeconds: 0,
  memoryUsed: 0,
  memoryTotal: 0,
  diskUsed: 0,
  diskTotal: 0,
  diskReadBytes: 0,
  diskWrittenBytes: 0,
  networkReceivedBytes: 0,
  networkSentBytes: 0,
  processes: 0,
  available: 0,
}
