import { dirname, join } from 'node:path'
import { buildFolder } from './build.js'
import { throughClosedFolders } from './closed_folders.js'
import { openDoor } from './door.js'
import type { Home } from './home.js'
import { loader, root } from './paths.js'

/** The program in a sandbox that starts what is asked for. */
export const sandboxProgram = [process.execPath, join(buildFolder, 'bin/sandbox.js')]
/** The same from the sources. */
export const sandboxSource = [process.execPath, ...loader, join(root, 'bin/sandbox.ts')]

/** Where web and worker have programs started that parse files of customers. */
export function sandboxDoor({ path }: Home): string {
  return join(path, 'sandbox', 'door', 'socket')
}

/** Sandboxes that may run at once; the next one is refused. */
export const MAX_SANDBOXES = 32

/** What each process in a sandbox may use at most (prlimit(1)); bytes where it is memory or files. */
const LIMITS = [
  `--data=${1536 * 1024 ** 2}`,
  `--fsize=${64 * 1024 ** 3}`,
  // Processes and threads of one sandbox, since each has a user of its own.
  '--nproc=96',
  '--nofile=1024',
  '--core=0',
]

/**
 * Completes `--reuid=` and `--regid=` by a number that no other sandbox has and no account: Debian and
 * systemd leave this range alone. The process number stays this sandbox's for as long as it lives.
 */
const CHOOSE_USER = `uid=$((2100000000 + $$))
for each do
  case $each in --reuid= | --regid=) each=$each$uid ;; esac
  set -- "$@" "$each"
  shift
done
exec "$@"`

const SPACES = ['--net', '--ipc', '--uts', '--pid', '--mount', '--mount-proc']
const PRIVILEGES = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all']

/**
 * The command line of a sandbox, to be started by root: no network, processes of its own only, limits, and
 * a user of its own without groups and capabilities. It ends with whoever started it.
 * @param home whose folder the program must be able to enter
 */
export function sandboxArgv(program: string[], home: string): string[] {
  const user = ['--reuid=', '--regid=', '--clear-groups', '--no-new-privs', ...PRIVILEGES]
  const chooseUser = ['sh', '-c', CHOOSE_USER, 'berth-sandbox']
  const unshare = ['setpriv', '--pdeathsig=KILL', '--', 'unshare', ...SPACES]
  const limits = ['--fork', '--kill-child=SIGKILL', '--', 'prlimit', ...LIMITS, '--']
  const view = throughClosedFolders([root, home, dirname(process.execPath)])
  const become = ['setpriv', ...user, '--pdeathsig=KILL', '--']
  return [...chooseUser, ...unshare, ...limits, ...view, ...become, ...program]
}

/** Opens the door to sandboxes. Root only. Returns how to close it. */
export function openSandboxes(home: Home, program: string[]): Promise<() => Promise<void>> {
  const { PATH } = process.env
  const argv = sandboxArgv(program, home.path)
  return openDoor(sandboxDoor(home), argv, { PATH, LANG: 'C.UTF-8' }, MAX_SANDBOXES)
}
