import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, mkdir, open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Incus, isIncusError } from '../../packages/incus/main.ts'
import { CGROUP_ROOT } from './cgroup_controllers.ts'
import { findIncusd } from './host_packages.ts'
import { runForOutput } from './run_for_output.ts'
import type { LineReporter } from './run_for_output.ts'

export const SYSTEM_INCUS_SOCKET_PATH = '/var/lib/incus/unix.socket'
const LXCFS_MOUNT = '/var/lib/lxcfs'
const READ_ONLY_OPTIONS = ['-o', 'ro']
const V1_CONTROLLERS = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'freezer', 'blkio', 'pids']
/** Range of user IDs for unprivileged containers. The packages of Incus use the same range. */
const SUBORDINATE_IDS = 'root:1000000:1000000000'
/** Number of user IDs for 1,000 instances with 65,536 IDs each. */
const MIN_SUBORDINATE_IDS = 65_536_000
/** Starting normally takes some seconds, but longer while the processors are busy. */
const START_TIMEOUT_SECONDS = 180

export function privateIncusSocketPath(home: string): string {
  return join(home, 'incus', 'unix.socket')
}

export async function startSystemIncus(home: string, report: LineReporter): Promise<string> {
  if (!(await isIncusReachable(SYSTEM_INCUS_SOCKET_PATH))) report('Starting the Incus service')
  await writeLxcfsDropIn()
  await runForOutput('systemctl', ['enable', '--now', 'lxcfs.service']).catch(() => {})
  // If this machine is itself a container, systemd skips the lxcfs unit without an error.
  await runForOutput('systemctl', ['is-active', 'lxcfs.service']).then(
    () => makeLxcfsReadOnly(report),
    () => ensureLxcfs(join(home, 'logs'), report)
  )
  await runForOutput('systemctl', ['enable', '--now', 'incus.socket', 'incus.service'])
  await untilAnswers(SYSTEM_INCUS_SOCKET_PATH, () => false)
  return SYSTEM_INCUS_SOCKET_PATH
}

/**
 * Uses the daemon if it is already running.
 * @param group Unix group that may use its socket, in addition to root
 * @returns the path of its socket
 * @throws Error if Incus is not installed or does not start
 */
export async function startPrivateIncus(
  home: string,
  report: LineReporter,
  group?: string
): Promise<string> {
  const socket = privateIncusSocketPath(home)
  if (await isIncusReachable(socket)) return socket
  const incusd = findIncusd()
  if (!incusd) throw new Error('Incus is not installed')
  const logs = join(home, 'logs')
  await mkdir(join(home, 'incus'), { recursive: true, mode: 0o711 })
  await mkdir(logs, { recursive: true })
  await ensureSubordinateIds(report)
  await ensureCgroups()
  await ensureLxcfs(logs, report)
  report('Starting Incus')
  const output = await open(join(logs, 'incus-output.log'), 'a')
  const forGroup = group ? ['--group', group] : []
  const child = spawn(incusd, ['--logfile', join(logs, 'incus.log'), ...forGroup], {
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
    // INCUS_SOCKET must be unset, because otherwise Incus would assume that the daemon at that socket is itself.
    env: { ...process.env, INCUS_SOCKET: undefined, INCUS_DIR: join(home, 'incus') },
  })
  let gone = false
  child.once('exit', () => (gone = true))
  child.once('error', () => (gone = true))
  child.unref()
  await output.close()
  try {
    await untilAnswers(socket, () => gone)
  } catch (error) {
    const lastOutput = await readLastOutput(home)
    throw new Error(`Incus did not start. Last log lines:\n${lastOutput}`, { cause: error })
  }
  return socket
}

async function readLastOutput(home: string): Promise<string> {
  const log = await readFile(join(home, 'logs', 'incus-output.log'), 'utf8').catch(() => '')
  return log.trimEnd().split('\n').slice(-8).join('\n')
}

/**
 * Restarts the home's Incus daemon if it exits, and reports its last log lines. Instances keep running meanwhile.
 * Checks the daemon once a second. If a start failed, or the daemon ran for less than a minute, the next check is after
 * 10 s.
 */
export async function supervisePrivateIncus(options: {
  home: string
  group?: string
  signal: AbortSignal
  report: LineReporter
}): Promise<void> {
  const { home, group, signal, report } = options
  let pid = await serverPid(privateIncusSocketPath(home)).catch(() => undefined)
  let started = 0
  while (!signal.aborted) {
    let pause = 1_000
    if (pid === undefined || (await isGone(pid))) {
      if (Date.now() - started < 60_000) pause = 10_000
      try {
        report(
          `Incus stopped unexpectedly. Starting it again. Last log lines:\n${await readLastOutput(home)}`
        )
        pid = await serverPid(await startPrivateIncus(home, () => {}, group))
        started = Date.now()
      } catch (error) {
        report((error as Error).message)
        pause = 10_000
      }
    }
    await sleep(pause, undefined, { signal }).catch(() => {})
  }
}

async function serverPid(socket: string): Promise<number> {
  const incus = Incus.local(socket)
  try {
    return (await incus.info()).environment.server_pid
  } finally {
    await incus.close()
  }
}

export async function stopPrivateIncus(socket: string, { instances = false } = {}): Promise<void> {
  try {
    const pid = await serverPid(socket)
    // SIGPWR also stops the instances. SIGTERM stops only the daemon.
    process.kill(pid, instances ? 'SIGPWR' : 'SIGTERM')
    const deadline = Date.now() + 120_000
    while (!(await isGone(pid))) {
      if (Date.now() > deadline) throw new Error('Incus did not stop within 120 s')
      await sleep(50)
    }
  } catch (error) {
    if (!isIncusError(error, 'unreachable')) throw error
  }
}

export async function isIncusReachable(socket: string): Promise<boolean> {
  if (!existsSync(socket)) return false
  const incus = Incus.local(socket)
  try {
    await incus.info()
    return true
  } catch {
    return false
  } finally {
    await incus.close()
  }
}

async function untilAnswers(socket: string, gaveUp: () => boolean): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_SECONDS * 1000
  while (!(await isIncusReachable(socket))) {
    if (gaveUp() || Date.now() > deadline) throw new Error('Incus does not respond')
    await sleep(100)
  }
}

/** A zombie counts as exited: without an init system, a zombie is never removed. */
async function isGone(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ' Z ')
  return / Z /.test(status)
}

/**
 * Adds a range of subordinate user IDs for root, if there is none. Keeps an existing range, because other containers
 * may use it, and reports it if it is too small.
 */
async function ensureSubordinateIds(report: LineReporter): Promise<void> {
  for (const file of ['/etc/subuid', '/etc/subgid']) {
    const text = await readFile(file, 'utf8').catch(() => '')
    const [, , size] = /^root:(\d+):(\d+)/m.exec(text) ?? []
    if (size === undefined) await appendFile(file, `${SUBORDINATE_IDS}\n`)
    else if (Number(size) < MIN_SUBORDINATE_IDS) {
      report(
        `${file} gives root ${size} user ids, too few for each instance to have its own. Set "${SUBORDINATE_IDS}"`
      )
    }
  }
}

/**
 * Starts lxcfs, through which instances see their own limits instead of the host's processors and memory. The file
 * system is read-only (`makeLxcfsReadOnly`). If lxcfs was killed, every access to its mount fails (ENOTCONN). In this
 * case, the mount is replaced.
 */
export async function ensureLxcfs(
  logs: string,
  report: LineReporter,
  mount = LXCFS_MOUNT
): Promise<void> {
  const answersAt = () => existsSync(join(mount, 'proc', 'meminfo'))
  if (answersAt()) return makeLxcfsReadOnly(report, mount)
  if ((await mountTable()).some(({ path }) => path === mount))
    await runForOutput('umount', ['-l', mount])
  await mkdir(mount, { recursive: true })
  await mkdir(logs, { recursive: true })
  const output = await open(join(logs, 'lxcfs.log'), 'a')
  const pidfile = join(logs, 'lxcfs.pid')
  const args = ['--foreground', '--pidfile', pidfile, ...READ_ONLY_OPTIONS, mount]
  const child = spawn('lxcfs', args, { detached: true, stdio: ['ignore', output.fd, output.fd] })
  let failed = false
  child.once('error', () => (failed = true))
  child.once('exit', () => (failed = true))
  child.unref()
  await output.close()
  const deadline = Date.now() + 30_000
  while (!answersAt()) {
    if (failed || Date.now() > deadline)
      throw new Error(`lxcfs did not start: see ${logs}/lxcfs.log`)
    await sleep(50)
  }
}

/**
 * Makes lxcfs read-only, because version 5 executes some writes of instances as root on the host's
 * /sys/devices/system/cpu (lxc/lxcfs#629). Changes the file system itself and not only a mount, so that instances that
 * are already running are protected too.
 */
export async function makeLxcfsReadOnly(report: LineReporter, mount = LXCFS_MOUNT): Promise<void> {
  const lxcfsMount = (await mountTable()).findLast(({ path }) => path === mount)
  if (!lxcfsMount || lxcfsMount.isReadOnly) return
  // Without this variable, newer versions of mount(8) do not use mount(2), the only call by which FUSE can be
  // remounted. `-i` skips FUSE's helper program, which cannot remount.
  const env = { ...process.env, LIBMOUNT_FORCE_MOUNT2: 'always' }
  try {
    await runForOutput('mount', ['-i', '-o', 'remount,ro', mount], { env })
  } catch (error) {
    report(
      `Instances can write to files of this host through ${mount}, which could not be made ` +
        `read-only: ${(error as Error).message}. Restart the instances that use it, then Berth.`
    )
  }
}

/**
 * Writes a drop-in file for the systemd unit of lxcfs. Does not restart lxcfs, because running instances would lose its
 * files.
 */
async function writeLxcfsDropIn(): Promise<void> {
  const folder = '/etc/systemd/system/lxcfs.service.d'
  const file = join(folder, 'berth.conf')
  const command = ['/usr/bin/lxcfs', ...READ_ONLY_OPTIONS, LXCFS_MOUNT].join(' ')
  const text = `# Written by Berth: instances must not write to the host through lxcfs.
[Service]
ExecStart=
ExecStart=${command}
`
  if ((await readFile(file, 'utf8').catch(() => '')) === text) return
  await mkdir(folder, { recursive: true })
  await writeFile(file, text)
  await runForOutput('systemctl', ['daemon-reload'])
}

interface Mount {
  path: string
  /**
   * Whether the file system itself is read-only, and not only a mount of it. Instances cannot change this by a remount.
   */
  isReadOnly: boolean
}

async function mountTable(): Promise<Mount[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8')
  return text.split('\n').map((line) => {
    const options = line.split(' ').at(-1) ?? ''
    return { path: line.split(' ')[4] ?? '', isReadOnly: options.split(',').includes('ro') }
  })
}

/**
 * Mounts cgroup controllers, which may be missing on machines without an init system. A controller that is used in
 * version 1 is missing in version 2. Instances that use version 2 would then have no limits.
 */
async function ensureCgroups(): Promise<void> {
  if (existsSync(join(CGROUP_ROOT, 'cgroup.controllers'))) return
  const known = await readFile('/proc/cgroups', 'utf8').catch(() => '')
  const enabled = known.split('\n').flatMap((line) => {
    const [name, hierarchy, , on] = line.split('\t')
    return name && on === '1' ? [{ name, v1: hierarchy !== '0' }] : []
  })
  const legacy = enabled.some(({ name, v1 }) => v1 && V1_CONTROLLERS.includes(name))
  const mounted = (await mountTable()).map(({ path }) => path)
  const isEmpty = !mounted.some((path) => path.startsWith(CGROUP_ROOT))
  if (!legacy) {
    if (isEmpty) await runForOutput('mount', ['-t', 'cgroup2', 'cgroup2', CGROUP_ROOT])
    return
  }
  if (isEmpty) {
    // The same layout as in systemd's hybrid mode.
    await runForOutput('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', CGROUP_ROOT])
    await mountCgroup('unified', ['-t', 'cgroup2'])
    await mountCgroup('systemd', ['-t', 'cgroup', '-o', 'none,name=systemd'])
  }
  for (const { name } of enabled.filter((controller) => V1_CONTROLLERS.includes(controller.name))) {
    if (mounted.some((path) => path.split('/').pop()?.split(',').includes(name))) continue
    await mountCgroup(name, ['-t', 'cgroup', '-o', name])
  }
}

async function mountCgroup(name: string, options: string[]): Promise<void> {
  const folder = join(CGROUP_ROOT, name)
  await mkdir(folder, { recursive: true })
  await runForOutput('mount', [...options, 'cgroup', folder])
}

export async function unmountBelow(folder: string): Promise<void> {
  const paths = (await mountTable()).map(({ path }) => path)
  const below = paths.filter((path) => path.startsWith(`${folder}/`))
  for (const path of below.sort().reverse())
    await runForOutput('umount', ['-l', path]).catch(() => {})
}
