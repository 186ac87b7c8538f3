import type { Transport } from './transport.ts'
import { IncusError } from './errors.ts'

/** What one instance uses; counters count since its start. */
export interface InstanceMetrics {
  name: string
  project: string
  type: string
  /** Seconds of processor time, without idle and waiting. */
  cpuSeconds: number
  /** bytes, without caches */
  memoryUsed: number
  /** bytes that it may use */
  memoryTotal: number
  /** bytes on its root file system; 0 on btrfs pools, whose usage `instances.listWithState` has */
  diskUsed: number
  diskTotal: number
  diskReadBytes: number
  diskWrittenBytes: number
  networkReceivedBytes: number
  networkSentBytes: number
  processes: number
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g
const IDLE = new Set(['idle', 'iowait', 'steal'])

/** All instances in one call. */
export async function fetchMetrics(transport: Transport): Promise<InstanceMetrics[]> {
  const response = await transport.raw('GET', '/1.0/metrics', { timeout: 60 })
  const text = await response.body.text()
  if (response.statusCode !== 200)
    throw IncusError.fromAnswer(response.statusCode, text.slice(0, 300))
  return parseMetrics(text)
}

/** Reads Incus's OpenMetrics text. */
export function parseMetrics(text: string): InstanceMetrics[] {
  const instances = new Map<string, Gathered>()
  for (const line of text.split('\n')) {
    const sample = line.startsWith('#') ? null : SAMPLE.exec(line)
    if (!sample) continue
    const labels: Record<string, string> = {}
    for (const [, key, value] of (sample[2] ?? '').matchAll(LABEL)) labels[key!] = value!
    if (!labels.name) continue
    const key = `${labels.project}/${labels.name}`
    if (!instances.has(key)) instances.set(key, empty(labels))
    gather(instances.get(key)!, sample[1]!, labels, Number(sample[3]))
  }
  return [...instances.values()].map(({ available, ...metrics }) => ({
    ...metrics,
    memoryUsed: Math.max(0, metrics.memoryTotal - available),
  }))
}

type Gathered = InstanceMetrics & { available: number }

function gather(into: Gathered, name: string, labels: Record<string, string>, value: number): void {
  switch (name.replace(/^incus_/, '')) {
    case 'cpu_seconds_total':
      if (!IDLE.has(labels.mode ?? '')) into.cpuSeconds += value
      break
    case 'memory_MemTotal_bytes':
      into.memoryTotal = value
      break
    case 'memory_MemAvailable_bytes':
      into.available = value
      break
    case 'filesystem_size_bytes':
      if (labels.mountpoint === '/') into.diskTotal = value
      break
    case 'filesystem_avail_bytes':
      if (labels.mountpoint === '/') into.diskUsed = Math.max(0, into.diskTotal - value)
      break
    case 'disk_read_bytes_total':
      into.diskReadBytes += value
      break
    case 'disk_written_bytes_total':
      into.diskWrittenBytes += value
      break
    case 'network_receive_bytes_total':
      if (labels.device !== 'lo') into.networkReceivedBytes += value
      break
    case 'network_transmit_bytes_total':
      if (labels.device !== 'lo') into.networkSentBytes += value
      break
    case 'procs_total':
      into.processes = value
      break
  }
}

function empty(labels: Record<string, string>): Gathered {
  return {
    name: labels.name!,
    project: labels.project ?? 'default',
    type: labels.type ?? 'container',
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
}
