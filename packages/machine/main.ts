/**
 * Commands and terminals on Linux machines, over SSH, Incus or locally. This package depends on neither the
 * database nor the web framework.
 */
export * from './types.js'
export * from './errors.js'
export { quoteForShell } from './shell_quote.js'
export { forEachLine, LineSplitter, type LineSplitterOptions } from './line_splitter.js'
export { MachinePool } from './machine_pool.js'
export { connectSsh, SshMachine } from './ssh/machine.js'
export { IncusMachine } from './incus/machine.js'
export { LocalMachine } from './local/machine.js'
export { SandboxMachine, SERVICE_SOCKET_PLACEHOLDER } from './sandbox/machine.js'
export { openLocalShell } from './local/interactive_shell.js'
export { openShellViaSocket } from './local/socket_shell.js'
export type { IncusInstances } from './incus/types.js'
export type { SshTarget } from './ssh/connection.js'
export {
  isNativeCryptoLoaded,
  fingerprintOf,
  generateKeyPair,
  scanHostKey,
  type HostKey,
  type SshKeyPair,
} from './ssh/keys.js'
