import type { BerthHome } from '../berth_home.js'
import { join } from 'node:path'

/** What a unit may do beside what is the same for all (`strict`). */
export interface UnitSandbox {
  /** Above this the kernel ends it (systemd.resource-control(5)). */
  memory: string
  /** Processes and threads. */
  tasks: number
  /** Kinds of sockets; without `AF_INET` it has no network at all. */
  sockets: string[]
  /** Folders below the home that it writes. */
  writes: string[]
  /** Folders below the home that it sees. Of the rest it sees nothing, not even a name. */
  reads?: string[]
  /** V8 writes the code that it runs; others have no need to. */
  compiles?: boolean
  /** More than processes in /proc: /proc/sys and the like. */
  needsFullProc?: boolean
}

const internet = ['AF_UNIX', 'AF_INET', 'AF_INET6']
/** Of itself a process asks which addresses it has by netlink. */
const node = { compiles: true, sockets: [...internet, 'AF_NETLINK'] }

/**
 * Each as strict as it bears. Memory stands well above the limit of its heap (cli/heap_limits.ts), since what
 * V8 holds beside it is not limited otherwise; the numbers are chosen, not measured under load.
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
  // It asks the kernel how many connections may wait.
  edge: { sockets: node.sockets, memory: '1G', tasks: 256, writes: ['edge'], needsFullProc: true },
  certificates: { sockets: ['AF_UNIX'], memory: '32M', tasks: 16, writes: ['edge'] },
  postgres: { sockets: internet, memory: '4G', tasks: 512, writes: [], needsFullProc: true },
}

/** The same for every unit that is not root (systemd.exec(5)). */
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

/** Folders that `ProtectHome=` closes (systemd.exec(5)). */
const closed = ['/home', '/root', '/run/user']
const isClosed = (path: string) => closed.some((folder) => path.startsWith(`${folder}/`))

export interface UnitPaths {
  home: BerthHome
  /** Where code and node are: seen even below /root or /home. */
  code: string[]
  /** What the process runs from, elsewhere than in the home. */
  data?: string
}

/** Lines of a `[Service]` that hold a process to its sandbox. */
export function sandboxDirectives(
  { memory, tasks, sockets, writes, reads = [], ...may }: UnitSandbox,
  { home, code, data }: UnitPaths,
  capabilities: string[]
): string[] {
  // A release is in the home, which a process does not see otherwise.
  const inHome = (path: string) => path.startsWith(`${home.path}/`)
  const hidden = code.filter((path) => isClosed(path) || inHome(path))
  const at = (path: string) => join(home.path, path)
  const caps = capabilities.map((name) => `CAP_${name.toUpperCase()}`).join(' ')
  return [
    ...strict,
    `CapabilityBoundingSet=${caps}`,
    `AmbientCapabilities=${caps}`,
    // A capability of a name space of its own would open no port of the machine.
    `PrivateUsers=${capabilities.length ? 'no' : 'yes'}`,
    `ProcSubset=${may.needsFullProc ? 'all' : 'pid'}`,
    ...(may.compiles ? [] : ['MemoryDenyWriteExecute=yes']),
    `RestrictAddressFamilies=${sockets.join(' ')}`,
    ...(sockets.includes('AF_INET') ? [] : ['PrivateNetwork=yes', 'IPAddressDeny=any']),
    ...([...code, home.path].some(isClosed) ? ['ProtectHome=tmpfs'] : ['ProtectHome=yes']),
    ...hidden.map((path) => `BindReadOnlyPaths=${path}`),
    `TemporaryFileSystem=${home.path}:ro`,
    // The edge's is made by the edge, which may come later.
    ...reads.map((path) => `BindReadOnlyPaths=-${at(path)}`),
    ...[...writes.map(at), ...(data ? [data] : [])].map((path) => `BindPaths=${path}`),
    `MemoryMax=${memory}`,
    'MemorySwapMax=0',
    `TasksMax=${tasks}`,
    'LimitNOFILE=65536',
    'LimitCORE=0',
  ]
}
