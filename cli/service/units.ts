import { dirname, join } from 'node:path'
import { DRAINED_EXIT_CODE } from '../../packages/service/graceful_handover.js'
import { readScript } from '../../packages/machine/read_script.js'
import { envNamesByRole, type RoleName } from '../roles.js'
import { heapLimitArgs } from '../heap_limits.js'
import { CliError, type BerthHome } from '../berth_home.js'
import {
  backupSocketPath,
  backupEnv,
  builtBackupServerCommand,
  MAX_BACKUP_JOBS,
} from '../backup/socket.js'
import { MAX_HOST_SHELLS } from '../host_shell_socket.js'
import { hostShellSocketPath } from '../process_users.js'
import type { ProcessUser } from '../run_program.js'
import {
  MAX_SANDBOXES,
  sandboxArgv,
  sandboxSocketPath,
  builtSandboxCommand,
} from '../sandbox_launcher.js'
import { buildFolder } from '../build.js'
import { releaseHomePath, installRoot } from '../paths.js'
import type { ProcessSpec } from '../supervisor.js'
import { unitSandboxes, sandboxDirectives } from './unit_sandbox.js'

const WAIT_SCRIPT = readScript(import.meta, 'wait_until_postgres_is_ready.sh')

export const TARGET_UNIT = 'berth.target'
export const unitFolder = '/etc/systemd/system'

export interface Unit {
  name: string
  text: string
}

/** Suffixes of a role's two units. During an upgrade, one unit runs the old release and the other the new one. */
export const UNIT_SUFFIXES = ['', '-2'] as const
export type UnitSuffix = (typeof UNIT_SUFFIXES)[number]

export const unitName = (role: string, suffix: UnitSuffix = '') => `berth-${role}${suffix}.service`

/** Returns the path of the file with the role's secret environment variables, which only root may read. */
export function credentialFile(home: BerthHome, unit: string): string {
  return join(home.path, 'credentials', unit.replace(/^berth-|\.service$/g, ''))
}

/** Quotes an argument for ExecStart= (systemd.service(5), "Command lines"). */
export function quoteUnitArgument(text: string): string {
  return `"${escaped(text).replaceAll('$', '$$$$')}"`
}

function quoteAssignment([name, value]: [string, string]): string {
  return `"${name}=${escaped(value)}"`
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('%', '%%')
}

/** @throws CliError with the first path that would need quoting in a unit file */
export function assertUnitSafePaths(...paths: string[]): void {
  const odd = paths.find((path) => !/^[\w./@+-]+$/.test(path))
  if (odd)
    throw new CliError(
      `A systemd unit cannot contain the path ${JSON.stringify(odd)}. Move it to a path without spaces`
    )
}

/**
 * Splits a process's environment. `secret` contains the variables that `envNamesByRole` lists for the role. They are
 * stored in its credential file. `open` contains all others. They are in the unit file, which all users can read.
 */
export function splitUnitEnv({ name, env }: ProcessSpec): {
  secret: NodeJS.ProcessEnv
  open: NodeJS.ProcessEnv
} {
  const own = new Set<string>(name in envNamesByRole ? envNamesByRole[name as RoleName] : [])
  const entries = Object.entries(env).filter(([, value]) => value !== undefined)
  return {
    secret: Object.fromEntries(entries.filter(([key]) => own.has(key))),
    open: Object.fromEntries(entries.filter(([key]) => !own.has(key))),
  }
}

export interface UnitOptions {
  home: BerthHome
  data?: string
  more?: string[]
  suffix?: UnitSuffix
}

/**
 * Returns a systemd unit that runs a process in the sandbox of its role.
 * @throws Error if the process has no separate Unix user
 */
export function unitFor(role: ProcessSpec, { home, data, more = [], suffix }: UnitOptions): Unit {
  const { name, argv, as } = role
  if (!as) throw new Error(`The role ${name} has no Unix user`)
  const { open } = splitUnitEnv(role)
  const code = [installRoot, dirname(process.execPath)]
  // Programs of other projects (PostgreSQL, Caddy) run from their own folders, which still exist after a release is
  // removed.
  const paths = {
    home,
    data,
    code: name in envNamesByRole ? code : releaseHomePath ? [] : [installRoot],
  }
  assertUnitSafePaths(home.path, ...code)
  const lines = [
    'Type=exec',
    `User=${as.uid}`,
    `Group=${as.gid}`,
    ...(as.groups?.length ? [`SupplementaryGroups=${as.groups.join(' ')}`] : []),
    `WorkingDirectory=${role.cwd}`,
    ...Object.entries(open).map(
      (pair) => `Environment=${quoteAssignment(pair as [string, string])}`
    ),
    ...(name in envNamesByRole
      ? [`LoadCredential=settings:${credentialFile(home, unitName(name, suffix))}`]
      : []),
    `ExecStart=${argv.map(quoteUnitArgument).join(' ')}`,
    `SyslogIdentifier=berth-${name}`,
    'Restart=always',
    'RestartSec=1',
    'RestartSteps=5',
    'RestartMaxDelaySec=30',
    'TimeoutStopSec=20',
    // A process exits with this code after another process has taken over its work. Then systemd must not restart it.
    `RestartPreventExitStatus=${DRAINED_EXIT_CODE}`,
    `SuccessExitStatus=${DRAINED_EXIT_CODE}`,
    ...more,
    ...sandboxDirectives(unitSandboxes[name], paths, as.capabilities ?? []),
  ]
  return { name: unitName(name, suffix), text: unitText(`Berth: ${name}`, lines) }
}

const databases = 'berth-postgres.service postgresql.service'

function unitText(description: string, service: string[]): string {
  return [
    '# Written by: berth install',
    '[Unit]',
    `Description=${description}`,
    `PartOf=${TARGET_UNIT}`,
    'Wants=network-online.target',
    `After=network-online.target incus.socket${description.endsWith('postgres') ? '' : ` ${databases}`}`,
    // No limit for the number of restarts, as in the supervisor of `./berth up`.
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    ...service,
    '',
    '[Install]',
    `WantedBy=${TARGET_UNIT}`,
    '',
  ].join('\n')
}

export function postgresUnit(server: ProcessSpec & { data: string }, home: BerthHome): Unit {
  const pid = join(server.data, 'postmaster.pid')
  const ready = ['sh', '-c', WAIT_SCRIPT, 'sh', pid]
  return unitFor(server, {
    home,
    data: dirname(server.data),
    more: [
      `ExecStartPost=${ready.map(quoteUnitArgument).join(' ')}`,
      'TimeoutStartSec=120',
      // SIGINT makes PostgreSQL shut down fast: it disconnects clients, without losing data (pg_ctl(1)).
      'KillSignal=SIGINT',
      'KillMode=mixed',
      'TimeoutStopSec=120',
      'OOMScoreAdjust=-500',
    ],
  })
}

/**
 * Returns the unit of `./berth run host`. It does everything for which a host needs root: Incus, its storage pool and
 * the base image.
 */
export function hostUnit(home: BerthHome): Unit {
  const host = [
    'Type=exec',
    `WorkingDirectory=${installRoot}`,
    `Environment=${quoteAssignment(['BERTH_HOME', home.path])}`,
    `ExecStart=${[process.execPath, ...heapLimitArgs('command'), join(buildFolder, 'cli/main.js'), 'run', 'host'].map(quoteUnitArgument).join(' ')}`,
    'SyslogIdentifier=berth-host',
    'Restart=always',
    'RestartSec=30',
    // systemd stops only the main process, because instances and their programs must keep running.
    'KillMode=process',
    'TimeoutStopSec=60',
    'PrivateTmp=yes',
    'ProtectClock=yes',
    'ProtectHostname=yes',
    'LockPersonality=yes',
    'RestrictRealtime=yes',
    'MemoryMax=4G',
  ]
  return { name: unitName('host'), text: unitText('Berth: host', host) }
}

/**
 * A socket for which systemd starts one program per connection. Besides root, only members of `group` can connect, and
 * only if they can enter the socket's folder.
 */
interface SocketService {
  name: string
  description: string
  socket: string
  group: string
  maxConnections: number
  program: string[]
  more: string[]
}

function socketServiceUnits({
  name,
  description,
  socket,
  group,
  maxConnections,
  program,
  more,
}: SocketService): Unit[] {
  return [
    {
      name: `${name}.socket`,
      text: [
        '# Written by: berth install',
        '[Unit]',
        `Description=Berth: ${description}`,
        `PartOf=${TARGET_UNIT}`,
        '',
        '[Socket]',
        `ListenStream=${socket}`,
        `SocketGroup=${group}`,
        'SocketMode=0660',
        'Accept=yes',
        `MaxConnections=${maxConnections}`,
        '',
        '[Install]',
        `WantedBy=${TARGET_UNIT}`,
        '',
      ].join('\n'),
    },
    {
      name: `${name}@.service`,
      text: [
        '# Written by: berth install',
        '[Unit]',
        `Description=Berth: ${description}`,
        'CollectMode=inactive-or-failed',
        '',
        '[Service]',
        `ExecStart=${program.map(quoteUnitArgument).join(' ')}`,
        'WorkingDirectory=/',
        'StandardInput=socket',
        'StandardOutput=null',
        'StandardError=journal',
        'KillMode=control-group',
        'TimeoutStopSec=5',
        ...more,
        '',
      ].join('\n'),
    },
  ]
}

/**
 * Returns the units of the socket over which the gateway gets root shells. The gateway itself does not run as root
 * (decision 0011).
 */
export function hostShellUnits(home: BerthHome): Unit[] {
  return socketServiceUnits({
    name: 'berth-shell',
    description: "administrators' shells on this machine",
    socket: hostShellSocketPath(home),
    group: 'berth-gateway',
    maxConnections: MAX_HOST_SHELLS,
    program: [process.execPath, join(buildFolder, 'bin/host_shell.js')],
    more: [],
  })
}

/**
 * Returns the units of the socket over which the worker requests backups. The worker itself may not read the data
 * (decision 0047).
 */
export function backupUnits(home: BerthHome, as: ProcessUser): Unit[] {
  const caps = 'CAP_DAC_READ_SEARCH'
  return socketServiceUnits({
    name: 'berth-backup',
    description: 'backups',
    socket: backupSocketPath(home),
    group: 'berth-worker',
    maxConnections: MAX_BACKUP_JOBS,
    program: builtBackupServerCommand,
    more: [
      `User=${as.uid}`,
      `Group=${as.gid}`,
      ...Object.entries(backupEnv(home)).map(
        (pair) => `Environment=${quoteAssignment(pair as [string, string])}`
      ),
      `AmbientCapabilities=${caps}`,
      `CapabilityBoundingSet=${caps}`,
      'NoNewPrivileges=yes',
      // Not `strict`: a backup target may be any folder that the backup user can write.
      'ProtectSystem=full',
      'PrivateTmp=yes',
      'PrivateDevices=yes',
      'RestrictNamespaces=yes',
      'RestrictSUIDSGID=yes',
      'LockPersonality=yes',
      'SystemCallArchitectures=native',
      'MemoryMax=2G',
    ],
  })
}

/**
 * Returns the units of the socket over which the web process and the worker start programs that parse customers' files
 * (decision 0055). Root creates the sandbox. Programs in it have no rights.
 */
export function fileParserSandboxUnits(home: BerthHome): Unit[] {
  const caps = 'CAP_SYS_ADMIN CAP_SETUID CAP_SETGID CAP_SETPCAP'
  const program = sandboxArgv(builtSandboxCommand, home.path)
  return socketServiceUnits({
    name: 'berth-sandbox',
    description: 'programs that parse files of customers',
    socket: sandboxSocketPath(home),
    group: 'berth-databases',
    maxConnections: MAX_SANDBOXES,
    program,
    more: [
      `CapabilityBoundingSet=${caps}`,
      'NoNewPrivileges=yes',
      'ProtectSystem=full',
      'PrivateTmp=yes',
      'PrivateDevices=yes',
      'RestrictNamespaces=net ipc uts pid mnt',
      'RestrictAddressFamilies=AF_UNIX',
      'RestrictSUIDSGID=yes',
      'LockPersonality=yes',
      'SystemCallArchitectures=native',
      'MemoryMax=2G',
      'MemorySwapMax=0',
      'TasksMax=96',
      'RuntimeMaxSec=13h',
    ],
  })
}

/** Returns the systemd target with which all of Berth's units start and stop together. */
export function targetUnit(): Unit {
  return {
    name: TARGET_UNIT,
    text: [
      '# Written by: berth install',
      '[Unit]',
      'Description=Berth',
      '',
      '[Install]',
      'WantedBy=multi-user.target',
      '',
    ].join('\n'),
  }
}
