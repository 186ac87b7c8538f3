import { parseTextWebPath, absoluteWebPath, webRoot } from '#guest/public'
import { shellFolderOutsideWebRoot } from '#terminal/errors'

const MAX_PATH_LENGTH = 1_024

// Arguments: the folder wanted, the web root. Whoever has neither still gets a shell. The browser's
// terminal draws every character and colour, which programs cannot know by themselves.
const START_SHELL_SCRIPT = `if ! cd -- "$1" 2>/dev/null; then
  printf 'The folder %s does not exist here.\\r\\n' "$1"
  cd -- "$2" 2>/dev/null || cd
fi
export LANG="\${LANG:-C.UTF-8}" COLORTERM=truecolor
shell=\${SHELL:-bash}
command -v "$shell" >/dev/null || shell=sh
exec "$shell" -l`

/**
 * The command of a terminal on an instance: root's login shell in the web root or a project's
 * folder. Run it with `user: 'root'`.
 */
export function rootShellCommand(folder: string): string[] {
  return ['sh', '-c', START_SHELL_SCRIPT, 'berth-terminal', folder, webRoot.path]
}

/**
 * The absolute folder of a path relative to the web root. Throws 422 for what leads out of it, and for
 * what would write more than its name into a terminal.
 */
export function resolveShellFolder(path = ''): string {
  if (path.length > MAX_PATH_LENGTH || /[\0-\x1f\x7f]/.test(path)) throw shellFolderOutsideWebRoot()
  return absoluteWebPath(parseTextWebPath(path))
}
