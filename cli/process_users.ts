import { constants } from 'node:fs'
import { chmod, chown, lchown, lstat, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ensureSystemUser, ensureSystemGroup, type SystemUser } from './system_users.js'
import { mountNamespacePrefix } from './mount_namespace.js'
import type { BerthHome } from './berth_home.js'
import { installRoot } from './paths.js'
import { selectRows, type BerthDatabase } from './postgres/connections.js'
import {
  portsFromEnv,
  selectProcessEnv,
  processSpec,
  roleNames,
  startableRoles,
  type RoleName,
} from './roles.js'
import { runProgram, withParentDeathSignal, type ProcessUser } from './run_program.js'
import { sandboxSocketPath } from './sandbox_launcher.js'
import { print, colorize } from './print.js'
import type { ProcessSpec } from './supervisor.js'

/** Each process runs as the system user `berth-` and its name. */
export const isolatedProcesses = [
  'web',
  'gateway',
  'vault',
  'mail',
  'worker',
  'broker',
  'edge',
  // Runs only while a backup is made (cli/backup/socket.ts).
  'backup' as const,
] as const
export type IsolatedProcess = (typeof isolatedProcesses)[number]

/** Processes in the group that can use the Incus socket, which makes them as powerful as root. */
const nearIncus: IsolatedProcess[] = ['worker', 'broker']
const INCUS_GROUP = 'berth-incus'
/** Group whose members may read the metrics of all processes. */
const METRICS_GROUP = 'berth-metrics'
/** Group whose members may read and write the import files and backups of managed databases. */
const DATABASES_GROUP = 'berth-databases'
/** Group in Debian's Incus packages. Its members may use the socket of the system's Incus daemon. */
const PACKAGED_GROUP = 'incus-admin'

export type ProcessUsers = Record<IsolatedProcess, ProcessUser>

export function incusGroup(isSystemService: boolean): string {
  return isSystemService ? PACKAGED_GROUP : INCUS_GROUP
}

/**
 * If the processes cannot have separate users, prints the reason and returns undefined. In this case, all processes run
 * as the current user.
 * @param build folder of the code that the processes run
 */
export async function ensureProcessUsers(
  home: BerthHome,
  { build, systemIncus }: { build: string; systemIncus: boolean }
): Promise<ProcessUsers | undefined> {
  if (process.getuid?.() !== 0) {
    print('Not root: all processes run as the user that started them')
    return undefined
  }
  const accounts = new Map<IsolatedProcess, SystemUser>()
  // Creates one user after the other, because these commands lock the same files.
  for (const name of isolatedProcesses) accounts.set(name, await ensureSystemUser(`berth-${name}`))
  const incus = await ensureSystemGroup(incusGroup(systemIncus))
  const metrics = await ensureSystemGroup(METRICS_GROUP)
  const databases = await ensureSystemGroup(DATABASES_GROUP)
  const prefix = mountNamespacePrefix([installRoot, home.path, dirname(process.execPath)])
  const { mail, mail_smtp, mail_inbound } = portsFromEnv()
  // Whether one of the mail service's ports is privileged, such as 25, to which other mail servers send bounces.
  const low = Math.min(mail, mail_smtp, mail_inbound) < 1024
  const privileges = Object.fromEntries(
    isolatedProcesses.map((name): [IsolatedProcess, ProcessUser] => [
      name,
      {
        ...accounts.get(name)!,
        groups: [
          ...(nearIncus.includes(name) ? [incus] : []),
          ...(name === 'web' || name === 'worker' ? [metrics, databases] : []),
          // The worker configures Caddy, and reads Caddy's certificates and logs.
          ...(name === 'worker' ? [accounts.get('edge')!.gid] : []),
        ],
        capabilities: capabilitiesOf(name, low),
        prefix,
      },
    ])
  ) as ProcessUsers
  const why = await whyNot(privileges.web, join(build, 'bin/role.js'))
  if (why) {
    print(`${colorize('red', '✗')} All processes run as root: ${why}`)
    return undefined
  }
  await layOut(home, privileges, { metrics, databases })
  return privileges
}

function capabilitiesOf(name: IsolatedProcess, low: boolean): string[] {
  // Lets the backup process read the files of all other users, but not write them.
  if (name === 'backup') return ['dac_read_search']
  return name === 'edge' || (name === 'mail' && low) ? ['net_bind_service'] : []
}

/**
 * Tests whether the user can run the program, because only a test shows what root may do on this machine. Returns the
 * error, or undefined if it works.
 */
async function whyNot(as: ProcessUser, program: string): Promise<string | undefined> {
  const argv = ['test', '-r', program, '-a', '-x', process.execPath]
  const { code, output } = await runProgram(withParentDeathSignal(argv, 'TERM', as))
  if (code === 0) return undefined
  if (output.trim()) return output.trim().split('\n').at(-1)
  return `other users cannot read ${dirname(dirname(program))}. Clone the repository again after running: umask 022`
}

/**
 * Creates the folders of the processes. Most folders can be entered only by one process, or by the processes that share
 * it. The backup process is an exception: it can read all of them.
 */
async function layOut(
  home: BerthHome,
  people: ProcessUsers,
  { metrics, databases }: Record<'metrics' | 'databases', number>
): Promise<void> {
  const { web, gateway, vault, mail, broker, worker, backup } = people
  const at = (...names: string[]) => join(home.path, ...names)
  await folder(at('compiled'), 0o711, 0, 0)
  for (const name of [...roleNames, 'broker'] as const) {
    await folder(at('compiled', name), 0o700, people[name].uid, people[name].gid)
  }
  await folder(at('vault'), 0o700, vault.uid, vault.gid)
  await folder(at('mail'), 0o700, mail.uid, mail.gid)
  // Mode 2xxx (setgid): a new socket gets the group of its folder, so that only one of the broker's clients can connect
  // to it.
  await folder(at('broker'), 0o711, 0, 0)
  await folder(at('broker', 'web'), 0o2750, broker.uid, web.gid)
  await folder(at('broker', 'gateway'), 0o2750, broker.uid, gateway.gid)
  await folder(at('shell'), 0o2750, 0, gateway.gid)
  await folder(at('health'), 0o700, worker.uid, worker.gid)
  await folder(at('backup'), 0o711, 0, 0)
  await folder(at('backup', 'own'), 0o700, backup.uid, backup.gid)
  await folder(at('backup', 'door'), 0o2750, 0, worker.gid)
  // The web process stores uploaded files, which the worker imports. The worker stores backups, which the web process
  // sends to customers.
  await folder(at('databases'), 0o711, 0, 0)
  for (const shelf of ['imports', 'backups']) {
    await folder(at('databases', shelf), 0o2770, worker.uid, databases)
  }
  // `sockets` contains the sockets to which sandboxed programs connect. Their names are random, and only the web
  // process and the worker know them.
  await folder(at('sandbox'), 0o711, 0, 0)
  await folder(at('sandbox', 'door'), 0o2750, 0, databases)
  await folder(at('sandbox', 'sockets'), 0o2771, 0, databases)
  await folder(at('metrics'), 0o755, 0, 0)
  for (const name of [...roleNames, 'broker'] as const) {
    await folder(at('metrics', name), 0o2750, people[name].uid, metrics)
  }
}

/** Corrects the owner of files that Caddy wrote as root in earlier releases. */
export async function prepareEdgeFolder(path: string, { edge }: ProcessUsers): Promise<void> {
  await folder(path, 0o750, edge.uid, edge.gid)
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    const at = join(entry.parentPath, entry.name)
    const { uid, gid } = await lstat(at)
    if (uid !== edge.uid || gid !== edge.gid) await lchown(at, edge.uid, edge.gid)
  }
  // Creates these logs first. Caddy would create them with mode 0600, and the worker could not read them.
  for (const name of ['tls.log', 'proxy_loops.log']) {
    const log = await open(join(path, name), constants.O_CREAT | constants.O_NOFOLLOW)
    await log.chown(edge.uid, edge.gid)
    await log.chmod(0o640)
    await log.close()
  }
}

async function folder(path: string, mode: number, uid: number, gid: number): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chown(path, uid, gid)
  await chmod(path, mode)
}

/** Returns the paths of sockets that a process needs because it does not run as root. */
function pathsOf(home: BerthHome, name: RoleName): NodeJS.ProcessEnv {
  const path = (...names: string[]) => join(home.path, ...names)
  if (name === 'broker') return { BROKER_FOLDER: path('broker') }
  const SANDBOX_SOCKET = sandboxSocketPath(home)
  if (name === 'web') return { INCUS_SOCKET: path('broker', 'web', 'incus'), SANDBOX_SOCKET }
  if (name === 'gateway') {
    return {
      INCUS_SOCKET: path('broker', 'gateway', 'incus'),
      HOST_SHELL: hostShellSocketPath(home),
    }
  }
  if (name === 'worker') return { HEALTH_SOCKET: workerHealthSocketPath(home), SANDBOX_SOCKET }
  return {}
}

/** Over this socket, the gateway gets root shells on this machine. */
export function hostShellSocketPath(home: BerthHome): string {
  return join(home.path, 'shell', 'socket')
}

/** At this socket, the worker reports its health. The worker listens on no port. */
export function workerHealthSocketPath(home: BerthHome): string {
  return join(home.path, 'health', 'worker')
}

interface Starting {
  home: BerthHome
  build: string
  env: NodeJS.ProcessEnv
  database: BerthDatabase
  privileges?: ProcessUsers
  /** Without the broker. Default: all that can start. */
  names?: readonly RoleName[]
}

/**
 * Returns the processes to start, web first. Each gets only the environment variables that it needs and, if separate
 * users exist, its own user. The database tables must exist.
 */
export async function createProcessSpecs({
  database,
  names = roleNames,
  ...starting
}: Starting): Promise<ProcessSpec[]> {
  const [web, ...others] = startableRoles(names, starting.env).map((name) => roleOf(name, starting))
  const { privileges, env } = starting
  if (!privileges || !env.INCUS_SOCKET) return [web, ...others]
  const INSTALLATION_ID = await installationId(database)
  const broker = roleOf('broker', { ...starting, env: { ...env, INSTALLATION_ID } })
  return [web, broker, ...others]
}

function roleOf(name: RoleName, starting: Omit<Starting, 'database' | 'names'>): ProcessSpec {
  const { home, build, env, privileges } = starting
  const plain = processSpec(name, build, env)
  if (!privileges) {
    // If the host terminal is turned off, gives the gateway a socket path at which no program listens, so that it
    // cannot open a root shell.
    const isClosed = name === 'gateway' && env.HOST_TERMINAL === 'off'
    return isClosed
      ? { ...plain, env: { ...plain.env, HOST_SHELL: hostShellSocketPath(home) } }
      : plain
  }
  // Without Incus on this machine, processes get no broker socket, because the broker has nothing to forward to.
  const { INCUS_SOCKET, ...paths } = pathsOf(home, name)
  const incus = INCUS_SOCKET && env.INCUS_SOCKET ? { INCUS_SOCKET } : {}
  const own = selectProcessEnv(name, { ...env, ...paths, ...incus })
  return { ...plain, env: { ...plain.env, ...own }, as: privileges[name] }
}

async function installationId({ appUrl }: BerthDatabase): Promise<string> {
  const sql = `select value from settings where key = 'installation_id'`
  const [{ value }] = await selectRows<{ value: unknown }>(appUrl, sql)
  return String(value)
}
