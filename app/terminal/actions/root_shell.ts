import { parseTextWebPath, absoluteWebPath, webRoot } from '#guest/public'
import { shellFolderOutsideWebRoot } from '#terminal/errors'

const MAX_PATH_LENGTH = 1_024

// Arguments: the requested folder, the web root. If neither exists, the shell starts in the home
// folder. Programs cannot detect that the browser's terminal supports UTF-8 and 24-bit colours, so
// the variables say so.
const START_SHELL_SCRIPT = `if ! cd -- "$1" 2>/dev/null; then
  printf 'The folder %s does not exist here.\\r\\n' "$1"
  cd -- "$2" 2>/dev/null || cd
fi
export LANG="\${LANG:-C.UTF-8}" COLORTERM=truecolor
shell=\${SHELL:-bash}
command -v "$shell" >/dev/null || shell=sh
exec "$shell" -l`

/**
 * Returns the command of a terminal on an instance: root's login shell in the web root or a
 * project's folder. Run it with `user: 'root'`.
 */
export function rootShellCommand(folder: string): string[] {
  return ['sh', '-c', START_SHELL_SCRIPT, 'berth-terminal', folder, webRoot.path]
}

/**
 * Returns the absolute path of a folder that is relative to the web root.
 * @throws 422 if it leads outside, is too long, or contains control characters, which would affect
 * the terminal
 */
export function resolveShellFolder(path = ''): string {
  if (path.length > MAX_PATH_LENGTH || /[\0-\x1f\x7f]/.test(path)) throw shellFolderOutsideWebRoot()
  return absoluteWebPath(parseTextWebPath(path))
}
