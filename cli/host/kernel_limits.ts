import { readFile, writeFile } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import {
  conntrackTableSizeFor,
  maxConntrackTableSize,
  TABLE_BUCKETS_SETTING,
  TABLE_SIZE_SETTING,
} from './connection_limits.ts'
import { type LineReporter, runForOutput } from './run_for_output.ts'

/**
 * Kernel limits for many containers (Incus documentation, "Server settings for a production setup"). All unprivileged
 * containers count as one user: with the default of 128 inotify instances, the sixteenth container does not boot.
 * Memory for inotify, processes and mappings counts towards the instance's memory limit. 8,192 entries of the neighbour
 * table need at most 8 MB. Instances cannot use the kernel's key storage (app/hosts/containment/isolation_settings.ts).
 */
const SYSCTL_LIMITS = {
  'fs.inotify.max_user_instances': 1_048_576,
  'fs.inotify.max_user_watches': 1_048_576,
  'fs.inotify.max_queued_events': 1_048_576,
  'fs.aio-max-nr': 524_288,
  // Together, the instances may run more processes than the kernel's default allows, 32,768.
  'kernel.pid_max': 4_194_304,
  'kernel.keys.maxkeys': 2_000,
  'kernel.keys.maxbytes': 2_000_000,
  'net.ipv4.neigh.default.gc_thresh3': 8_192,
  // Needed even on a bridge without IPv6, because each instance has about five multicast entries in this table.
  'net.ipv6.neigh.default.gc_thresh3': 8_192,
  'vm.max_map_count': 262_144,
  // If a process stops listening, the connections that wait for it go to another process on the same port (decision
  // 0050).
  'net.ipv4.tcp_migrate_req': 1,
}
/**
 * Maximum memory for contexts of asynchronous I/O, as a share of the machine's memory, and the size of one context in
 * bytes.
 */
const MAX_AIO_MEMORY_SHARE = 1 / 32
const AIO_CONTEXT_BYTES = 1_024

/**
 * Some kernel tables are not part of any instance's memory limit, so their maximum size depends on the machine's
 * memory.
 */
function limitsFor(memoryBytes: number): Map<string, number> {
  const limits = new Map<string, number>(Object.entries(SYSCTL_LIMITS))
  const maxContexts = Math.floor((memoryBytes * MAX_AIO_MEMORY_SHARE) / AIO_CONTEXT_BYTES)
  limits.set('fs.aio-max-nr', Math.min(SYSCTL_LIMITS['fs.aio-max-nr'], maxContexts))
  // Maximum for all instances together. connection_limits.ts limits each single instance.
  const tableSize = conntrackTableSizeFor(1, memoryBytes)
  limits.set(TABLE_SIZE_SETTING, tableSize)
  return limits.set(TABLE_BUCKETS_SETTING, tableSize)
}

/**
 * Seconds for which the connection tracking table keeps closed connections. Berth only lowers this value: with the
 * default of 120, 9,000 connections per second fill the table.
 */
const LOWERED = { 'net.netfilter.nf_conntrack_tcp_timeout_time_wait': 30 }
const SYSCTL_PATH = '/etc/sysctl.d/60-berth.conf'

/**
 * Raises kernel limits, now and at each boot. Lowers those in `LOWERED`, and values that Berth itself wrote when the
 * machine had more memory. Reports limits that it cannot change, for example inside a container.
 */
export async function raiseKernelLimits(
  report: LineReporter,
  { proc = '/proc/sys', file = SYSCTL_PATH, memoryBytes = totalmem() } = {}
): Promise<void> {
  const changed = new Map<string, number>()
  const refused: string[] = []
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  const nameOf = (line: string) => line.split('=')[0]!.trim()
  const own = new Map(lines.map((line) => [nameOf(line), Number(line.split('=')[1])]))
  // The settings of connection tracking exist only while this module is loaded. At boot, systemd-sysctl may run before
  // that.
  await runForOutput('modprobe', ['nf_conntrack']).catch(() => {})
  for (const [name, wanted] of [...limitsFor(memoryBytes), ...Object.entries(LOWERED)]) {
    const path = join(proc, ...name.split('.'))
    const now = Number(await readFile(path, 'utf8').catch(() => NaN))
    const isTooHigh = now > wanted && (name in LOWERED || own.get(name) === now)
    const isTooLow = now < wanted && !(name in LOWERED)
    if (!isTooHigh && !isTooLow) continue
    await writeFile(path, `${wanted}\n`).then(
      () => changed.set(name, wanted),
      () => refused.push(name)
    )
  }
  if (refused.length)
    report(`These kernel limits of this machine could not be raised: ${refused.join(', ')}`)
  await reportLargeTable(report, proc, memoryBytes)
  if (changed.size === 0) return
  // Writes only values that Berth has changed, so that higher values of the administrator stay.
  const unchanged = lines.filter((line) => !changed.has(nameOf(line)))
  const added = [...changed].map(([name, value]) => `${name} = ${value}`)
  await writeFile(file, `${unchanged.concat(added).join('\n')}\n`).catch(() => {})
}

async function reportLargeTable(
  report: LineReporter,
  proc: string,
  memoryBytes: number
): Promise<void> {
  const path = join(proc, ...TABLE_SIZE_SETTING.split('.'))
  const size = Number(await readFile(path, 'utf8').catch(() => NaN))
  const maxSize = maxConntrackTableSize(memoryBytes)
  if (!(size > maxSize)) return
  report(
    `${TABLE_SIZE_SETTING} is ${size}. A full table of that size takes more than a sixteenth of this machine's memory. ` +
      `Instances fill at most three quarters of ${maxSize} entries. Set it to ${maxSize} or less to limit the memory use`
  )
}
