import { absoluteWebPath, commandFailed } from '#guest/public'
import { runCommand, runAsOwner } from '#guest/public_effects'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const MAKE_FOLDER_SCRIPT = readScript(import.meta, 'make_folder.sh')

const PUT_FILE_SCRIPT = readScript(import.meta, 'put_file.sh')

/** Returns whether the folder is empty. */
export async function ensureProjectFolder(machine: Machine, path: string): Promise<boolean> {
  const argv = ['sh', '-c', MAKE_FOLDER_SCRIPT, 'berth-folder', absoluteWebPath(path)]
  const output = await runAsOwner(machine, 'The folder could not be created', argv)
  return output.trim() === 'empty'
}

/** Does nothing if the file exists. */
export async function writeNewFile(
  machine: Machine,
  path: string,
  name: string,
  text: string
): Promise<void> {
  const argv = ['sh', '-c', PUT_FILE_SCRIPT, 'berth-file', absoluteWebPath(path), name]
  await runAsOwner(machine, `${name} could not be written`, argv, { stdin: text })
}

const HTTP_STATUS_SCRIPT = readScript(import.meta, 'wait_for_http_status.sh')

/**
 * Requests a URL inside the instance until it responds. Returns the HTTP status.
 * @param below HTTP statuses from this one up do not count as a response. Default 500, so that server errors do not
 * count.
 */
export async function waitForHttpAnswer(
  machine: Machine,
  url: string,
  { host = 'localhost', below = 500 }: { host?: string; below?: number } = {}
): Promise<number> {
  const argv = ['sh', '-c', HTTP_STATUS_SCRIPT, 'berth-ask', url, host, String(below)]
  const output = await runAsOwner(machine, 'The site does not respond', argv, { timeout: 700_000 })
  return Number(output.trim())
}

const FREE_PORT_SCRIPT = readScript(import.meta, 'find_free_port.sh')

export async function findFreePort(machine: Machine, from: number): Promise<number> {
  const argv = ['sh', '-c', FREE_PORT_SCRIPT, 'berth-port', String(from)]
  const port = Number(await runAsOwner(machine, 'No free port was found', argv))
  if (Number.isInteger(port) && port >= from && port < 65_536) return port
  throw commandFailed('No free port was found', '')
}

const FOLDER_ACCESS_SCRIPT = readScript(import.meta, 'set_folder_access.bash')

/**
 * Access of the web server and PHP to a folder. `open`: all files. `shut`: no files. `pass`: only the folders of other
 * projects inside. `delete`: no files, and the folder's saved previous ACL entries are deleted.
 */
export type FolderAccess = 'open' | 'shut' | 'pass' | 'delete'

/**
 * Denied access also covers symbolic links from other folders and sites that the customer configured by hand. The owner
 * of the folder keeps access.
 * @param inner paths of other projects inside the folder, relative to it
 */
export async function setFolderAccess(
  machine: Machine,
  { id, path }: { id: number; path: string },
  access: FolderAccess,
  inner: string[]
): Promise<void> {
  const argv = [
    'bash',
    '-c',
    FOLDER_ACCESS_SCRIPT,
    'berth-shut',
    access,
    absoluteWebPath(path),
    String(id),
    ...inner,
  ]
  await runCommand(machine, 'The folder could not be changed', argv, {
    user: 'root',
    timeout: 60_000,
  })
}
