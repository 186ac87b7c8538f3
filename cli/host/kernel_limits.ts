import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MIN_CONNTRACK_TABLE_SIZE } from './connection_limits.ts'
import { type LineReporter, runForOutput } from './run_for_output.ts'

/**
 * What a machine with many containers needs of its kernel (Incus documentation, "Server settings
 * for a production setup"). All unprivileged containers count as one user: with 128 instances of
 * inotify, as distributions have it, the sixteenth container does not boot.
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
  // Connections of all instances together. Each instance has its own limit (connection_limits.ts).
  'net.netfilter.nf_conntrack_max': MIN_CONNTRACK_TABLE_SIZE,
  'vm.max_map_count': 262_144,
  // A connection that waits for a process which leaves goes to the one beside it (decision 0050).
  'net.ipv4.tcp_migrate_req': 1,
}
/**
 * Values that are lowered where they are higher. Closed connections of all instances stay in the connection
 * tracking table for this time, in seconds; the default of 120 lets 9,000 a second fill it.
 */
const LOWERED = { 'net.netfilter.nf_conntrack_tcp_timeout_time_wait': 30 }
const SYSCTL_PATH = '/etc/sysctl.d/60-berth.conf'

/**
 * Raises the limits that are lower and lowers the timeouts that are higher, now and for the machine's next start.
 * A machine that does not let them be changed (a container itself) is left as it is, with a word.
 */
export async function raiseKernelLimits(
  report: LineReporter,
  { proc = '/proc/sys', file = SYSCTL_PATH } = {}
): Promise<void> {
  const raised: string[] = []
  const refused: string[] = []
  // Its settings exist once it is loaded. After a start of the machine that would be too late for sysctl.d.
  await runForOutput('modprobe', ['nf_conntrack']).catch(() => {})
  for (const [name, wanted] of [...Object.entries(SYSCTL_LIMITS), ...Object.entries(LOWERED)]) {
    const path = join(proc, ...name.split('.'))
    const now = Number(await readFile(path, 'utf8').catch(() => NaN))
    const isWorse = name in LOWERED ? now > wanted : now < wanted
    if (!isWorse) continue
    await writeFile(path, `${wanted}\n`).then(
      () => raised.push(`${name} = ${wanted}\n`),
      () => refused.push(name)
    )
  }
  if (refused.length)
    report(`These kernel limits of this machine could not be raised: ${refused.join(', ')}`)
  // Only changed values are kept, so that a better one of the machine's own stays.
  if (raised.length) await appendFile(file, raised.join('')).catch(() => {})
}
