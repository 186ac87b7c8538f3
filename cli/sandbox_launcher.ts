import { dirname, join } from 'node:path'
import { buildFolder } from './build.js'
import { mountNamespacePrefix } from './mount_namespace.js'
import { listenWithProgramPerConnection } from './program_per_connection.js'
import type { BerthHome } from './berth_home.js'
import { typescriptLoaderArgs, installRoot } from './paths.js'
import { readScript } from '../packages/machine/read_script.js'

/** Command that runs inside a sandbox. It starts the requested program. */
export const builtSandboxCommand = [process.execPath, join(buildFolder, 'bin/sandbox.js')]
export const sandboxCommandFromSource = [
  process.execPath,
  ...typescriptLoaderArgs,
  join(installRoot, 'bin/sandbox.ts'),
]

/**
 * Returns the path of the socket over which the web process and the worker start programs that parse customers' files.
 */
export function sandboxSocketPath({ path }: BerthHome): string {
  return join(path, 'sandbox', 'door', 'socket')
}

/** While this many sandboxes run, further connections are closed. */
export const MAX_SANDBOXES = 32

/** Limits for each process in a sandbox (prlimit(1)). Memory (`--data`) and file size (`--fsize`) are in bytes. */
const PROCESS_LIMITS = [
  `--data=${1536 * 1024 ** 2}`,
  `--fsize=${64 * 1024 ** 3}`,
  // Maximum processes and threads in one sandbox. The kernel counts them per user, and each sandbox has a separate
  // user.
  '--nproc=96',
  '--nofile=1024',
  '--core=0',
]

const CHOOSE_USER_SCRIPT = readScript(import.meta, 'choose_sandbox_user.sh')

const NAMESPACE_OPTIONS = ['--net', '--ipc', '--uts', '--pid', '--mount', '--mount-proc']
const NO_PRIVILEGES_OPTIONS = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all']

/**
 * Returns a command that starts a program in a sandbox. Only root can run it. The program runs as a separate user,
 * without groups, capabilities and network, and with resource limits. It sees only its own processes, and is killed
 * when its parent exits.
 * @param home home folder that the program must be able to enter
 */
export function sandboxArgv(program: string[], home: string): string[] {
  const user = [
    '--reuid=',
    '--regid=',
    '--clear-groups',
    '--no-new-privs',
    ...NO_PRIVILEGES_OPTIONS,
  ]
  const chooseUser = ['sh', '-c', CHOOSE_USER_SCRIPT, 'berth-sandbox']
  const unshare = ['setpriv', '--pdeathsig=KILL', '--', 'unshare', ...NAMESPACE_OPTIONS]
  const limits = ['--fork', '--kill-child=SIGKILL', '--', 'prlimit', ...PROCESS_LIMITS, '--']
  const view = mountNamespacePrefix([installRoot, home, dirname(process.execPath)])
  const become = ['setpriv', ...user, '--pdeathsig=KILL', '--']
  return [...chooseUser, ...unshare, ...limits, ...view, ...become, ...program]
}

/**
 * Listens on the sandbox socket. For each connection, starts `program` in a new sandbox. Needs root.
 * @returns a function that closes the socket
 */
export function serveSandboxes(home: BerthHome, program: string[]): Promise<() => Promise<void>> {
  const { PATH } = process.env
  const argv = sandboxArgv(program, home.path)
  return listenWithProgramPerConnection(
    sandboxSocketPath(home),
    argv,
    { PATH, LANG: 'C.UTF-8' },
    MAX_SANDBOXES
  )
}
