import type { BerthHome } from '../berth_home.js'
import { join } from 'node:path'

export interface UnitSandbox {
  /** Memory limit (MemoryMax=). If the unit needs more, the kernel kills it (systemd.resource-control(5)). */
  memory: string
  tasks: number
  /** Address families of the sockets that the unit may open. Without `AF_INET`, it has no network. */
  sockets: string[]
  writes: string[]
  /** Folders in the home that the unit may read. Otherwise, it sees only `writes` and its own release in the home. */
  reads?: string[]
  /** Whether the unit may execute memory that it has written. V8's compiler needs that. */
  compiles?: boolean
  /** Whether the unit needs all of /proc, such as /proc/sys, and not only the processes in it. */
  needsFullProc?: boolean
}

const internet = ['AF_UNIX', 'AF_INET', 'AF_INET6']
/** Node needs netlink to list the machine's network addresses. */
const node = { compiles: true, sockets: [...internet, 'AF_NETLINK'] }

/**
 * The strictest sandbox in which each unit works. Memory limits are far above the heap limits (cli/heap_limits.ts),
 * because V8 also uses memory outside the heap. They are estimates that were not measured under load.
 */
export const unitSandboxes: Record<string, UnitSandbox> = {
  web: {
    ...node,
    memory: '1536M',
    tasks: 128,
    writes: ['compiled/web', 'metrics/web', 'databases', 'sandbox/sockets'],
    reads: ['broker/web', 'metrics', 'sandbox/door'],
  },
  gateway: {
    ...node,
    memory: '1G',
    tasks: 128,
    writes: ['compiled/gateway', 'metrics/gateway'],
    reads: ['broker/gateway', 'shell'],
  },
  vault: {
    ...node,
    memory: '2G',
    tasks: 256,
    writes: ['compiled/vault', 'vault', 'metrics/vault'],
  },
  mail: {
    ...node,
    memory: '1536M',
    tasks: 128,
    writes: ['compiled/mail', 'mail', 'metrics/mail'],
  },
  worker: {
    ...node,
    memory: '1536M',
    tasks: 128,
    writes: ['compiled/worker', 'health', 'metrics/worker', 'databases', 'sandbox/sockets'],
    reads: ['edge', 'metrics', 'backup/door', 'sandbox/door'],
  },
  broker: {
    ...node,
    sockets: ['AF_UNIX'],
    memory: '384M',
    tasks: 64,
    writes: ['compiled/broker', 'broker', 'metrics/broker'],
  },
  // `needsFullProc`, because Caddy reads from /proc/sys how many connections may wait to be accepted.
  edge: { sockets: node.sockets, memory: '1G', tasks: 256, writes: ['edge'], needsFullProc: true },
  certificates: { sockets: ['AF_UNIX'], memory: '32M', tasks: 16, writes: ['edge'] },
  postgres: { sockets: internet, memory: '4G', tasks: 512, writes: [], needsFullProc: true },
}

/** Directives for every unit that does not run as root (systemd.exec(5)). */
const strict = [
  'NoNewPrivileges=yes',
  'ProtectSystem=strict',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'DevicePolicy=closed',
  'ProtectProc=invisible',
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectControlGroups=yes',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'LockPersonality=yes',
  'RemoveIPC=yes',
  'KeyringMode=private',
  'UMask=0077',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  'SystemCallErrorNumber=EPERM',
]

/** Folders that `ProtectHome=` hides (systemd.exec(5)). */
const closed = ['/home', '/root', '/run/user']
const isClosed = (path: string) => closed.some((folder) => path.startsWith(`${folder}/`))

export interface UnitPaths {
  home: BerthHome
  /**
   * Folders that contain the code and Node. They must be visible to the unit, even if they are below /root or /home.
   */
  code: string[]
  /** Folder outside the home that the unit may write. Used for PostgreSQL's data. */
  data?: string
}

export function sandboxDirectives(
  { memory, tasks, sockets, writes, reads = [], ...may }: UnitSandbox,
  { home, code, data }: UnitPaths,
  capabilities: string[]
): string[] {
  // Whether the path is in the home, like a release. The unit must get access to such a path separately.
  const inHome = (path: string) => path.startsWith(`${home.path}/`)
  const hidden = code.filter((path) => isClosed(path) || inHome(path))
  const at = (path: string) => join(home.path, path)
  const caps = capabilities.map((name) => `CAP_${name.toUpperCase()}`).join(' ')
  return [
    ...strict,
    `CapabilityBoundingSet=${caps}`,
    `AmbientCapabilities=${caps}`,
    // With PrivateUsers=, the capability would apply only in the unit's own user namespace, and the unit could not open
    // a port below 1024.
    `PrivateUsers=${capabilities.length ? 'no' : 'yes'}`,
    `ProcSubset=${may.needsFullProc ? 'all' : 'pid'}`,
    ...(may.compiles ? [] : ['MemoryDenyWriteExecute=yes']),
    `RestrictAddressFamilies=${sockets.join(' ')}`,
    ...(sockets.includes('AF_INET') ? [] : ['PrivateNetwork=yes', 'IPAddressDeny=any']),
    ...([...code, home.path].some(isClosed) ? ['ProtectHome=tmpfs'] : ['ProtectHome=yes']),
    ...hidden.map((path) => `BindReadOnlyPaths=${path}`),
    `TemporaryFileSystem=${home.path}:ro`,
    // With the `-`, systemd ignores missing folders. The edge proxy creates its folders itself, and may start later.
    ...reads.map((path) => `BindReadOnlyPaths=-${at(path)}`),
    ...[...writes.map(at), ...(data ? [data] : [])].map((path) => `BindPaths=${path}`),
    `MemoryMax=${memory}`,
    'MemorySwapMax=0',
    `TasksMax=${tasks}`,
    'LimitNOFILE=65536',
    'LimitCORE=0',
  ]
}
