import { parseTextPathInWebRoot, absoluteWebPath, webRoot } from '#guest/public'
import { shellFolderOutsideWebRoot } from '#terminal/errors'
import { readScript } from '#packages/machine/read_script'

const MAX_PATH_LENGTH = 1_024

const START_SHELL_SCRIPT = readScript(import.meta, 'start_root_shell.sh')

/** Run the command with `user: 'root'`. */
export function rootShellCommand(folder: string): string[] {
  return ['sh', '-c', START_SHELL_SCRIPT, 'berth-terminal', folder, webRoot.path]
}

/**
 * Returns an absolute path.
 * @param path relative to the web root
 * @throws 422 if it leads outside, is too long, or contains control characters, which would affect
 * the terminal
 */
export function resolveShellFolder(path = ''): string {
  if (path.length > MAX_PATH_LENGTH || /[\0-\x1f\x7f]/.test(path)) throw shellFolderOutsideWebRoot()
  return absoluteWebPath(parseTextPathInWebRoot(path))
}
