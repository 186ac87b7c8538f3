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
 * What a machine with many containers needs of its kernel (Incus documentation, "Server settings
 * for a production setup"). All unprivileged containers count as one user: with 128 instances of
 * inotify, as distributions have it, the sixteenth container does not boot.
 *
 * Memory of inotify, processes and mappings counts towards the memory limit of the instance that uses them, and
 * 8,192 neighbours take 8 MB at most. Instances cannot use keys (app/hosts/containment/isolation_settings.ts).
 */
const SYSCTL_LIMITS = {
  'fs.inotify.max_user_instances': 1_048_576,
  'fs.inotify.max_user_watches': 1_048_576,
  'fs.inotify.max_queued_events': 1_048_576,
  'fs.aio-max-nr': 524_288,
  // Instances are held to numbers of their own, whose sum is more than the usual 32,768.
  'kernel.pid_max': 4_194_304,
  'kernel.keys.maxkeys': 2_000,
  'kernel.keys.maxbytes': 2_000_000,
  'net.ipv4.neigh.default.gc_thresh3': 8_192,
  // Also without IPv6 on the bridge: each instance has about five entries for multicast in the same table.
  'net.ipv6.neigh.default.gc_thresh3': 8_192,
  'vm.max_map_count': 262_144,
  // A connection that waits for a process which leaves goes to the one beside it (decision 0050).
  'net.ipv4.tcp_migrate_req': 1,
}
/** The part of the machine's memory that contexts of asynchronous I/O may use, and the bytes of one. */
const MAX_AIO_MEMORY_SHARE = 1 / 32
const AIO_CONTEXT_BYTES = 1_024

/** Returns the limits for a machine with this memory. Tables that no instance's memory limit covers are a part of it. */
function limitsFor(memoryBytes: number): Map<string, number> {
  const limits = new Map<string, number>(Object.entries(SYSCTL_LIMITS))
  const maxContexts = Math.floor((memoryBytes * MAX_AIO_MEMORY_SHARE) / AIO_CONTEXT_BYTES)
  limits.set('fs.aio-max-nr', Math.min(SYSCTL_LIMITS['fs.aio-max-nr'], maxContexts))
  // Connections of all instances together. Each instance has its own limit (connection_limits.ts).
  const tableSize = conntrackTableSizeFor(1, memoryBytes)
  limits.set(TABLE_SIZE_SETTING, tableSize)
  return limits.set(TABLE_BUCKETS_SETTING, tableSize)
}

/**
 * Values that are lowered where they are higher. Closed connections of all instances stay in the connection
 * tracking table for this time, in seconds; the default of 120 lets 9,000 a second fill it.
 */
const LOWERED = { 'net.netfilter.nf_conntrack_tcp_timeout_time_wait': 30 }
const SYSCTL_PATH = '/etc/sysctl.d/60-berth.conf'

/**
 * Raises the limits that are lower and lowers the timeouts that are higher, now and for the machine's next start.
 * A value that Berth wrote itself is also lowered, for machines that have less memory than it was made for.
 * A machine that does not let them be changed (a container itself) is left as it is, with a word.
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
  // Its settings exist once it is loaded. After a start of the machine that would be too late for sysctl.d.
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
  // Only changed values are kept, so that a better one of the machine's own stays.
  const unchanged = lines.filter((line) => !changed.has(nameOf(line)))
  const added = [...changed].map(([name, value]) => `${name} = ${value}`)
  await writeFile(file, `${unchanged.concat(added).join('\n')}\n`).catch(() => {})
}

/** Reports a connection tracking table that somebody else made too large for the machine's memory. */
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
      `Instances fill at most three quarters of ${maxSize} entries. Set it to ${maxSize} or less to bound the rest`
  )
}
