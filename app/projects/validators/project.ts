import { invalid } from '#core/app_error'
import { parseRelativeWebFolder } from '#guest/public'
import { type PackageManager, packageManagers } from '#projects/pm2/package_managers'
import { type ProcessAction, processActions } from '#projects/pm2/process_actions'
import { type WordpressAdminInput, parseWordpressAdmin } from '#projects/validators/wordpress'
import { type Stack, stacks } from '#projects/stacks'
import { parsePortNumber } from '#projects/virtual_host/parse_virtual_host_input'

type Sent = Record<string, unknown>

// Restricts names for PM2: where it expects a name, it also accepts ids, `all` and options that
// begin with a hyphen.
const PROJECT_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9 ._-]{0,58}[A-Za-z0-9]$/
const NAME_MESSAGE = 'Enter 2 to 60 letters, digits, spaces, dots, hyphens or underscores.'
const PATH_MESSAGE = 'Enter a folder below the web root, for example shop or sites/shop.'
const SCRIPT_PATTERN = /^(?!.*(^|\/)\.)[A-Za-z0-9_][A-Za-z0-9_./-]{0,200}$/

export interface ProjectForm {
  name: string
  path: string
  stack: Stack
  serverInstanceId: unknown
  /** The first administrator of a new WordPress; null for other stacks. */
  wordpress: WordpressAdminInput | null
}

/**
 * Parses the fields of the project form.
 * @param email the signed-in person's address
 * @param options `isNew`: also throw for errors in the WordPress administrator. Otherwise they are
 *   only returned in `wordpress`, because a project that is only renamed needs no administrator.
 * @throws 422 with errors at the fields
 */
export function parseProjectForm(sent: Sent, email: string, { isNew = true } = {}): ProjectForm {
  const errors: Record<string, string> = {}
  const name = readName(sent.name)
  if (!name) errors.name = NAME_MESSAGE
  const path = typeof sent.path === 'string' ? parseRelativeWebFolder(sent.path) : null
  if (!path) errors.path = PATH_MESSAGE
  const { stack } = sent
  const known = typeof stack === 'string' && Object.hasOwn(stacks, stack)
  if (!known) errors.stack = 'Choose the app stack.'
  const wordpress = stack === 'wordpress' ? parseWordpressAdmin(sent, email) : null
  if (wordpress && isNew) Object.assign(errors, wordpress.errors)
  if (!sent.server_instance_id) errors.server_instance_id = 'Choose the server instance.'
  throwFieldErrors(errors)
  return {
    name: name!,
    path: path!,
    stack: stack as Stack,
    serverInstanceId: sent.server_instance_id,
    wordpress,
  }
}

interface Common {
  name: string
  path: string
}

export type ProcessForm = Common &
  (
    | { type: 'build'; packageManager: PackageManager; port: number }
    | { type: 'nonBuild'; script: string }
  )

/**
 * Parses the fields of the process form.
 * @throws 422 with errors at the fields
 */
export function parseProcessForm(sent: Sent): ProcessForm {
  const errors: Record<string, string> = {}
  const name = readName(sent.name)
  if (!name) errors.name = NAME_MESSAGE
  const path =
    typeof sent.projectPath === 'string' ? parseRelativeWebFolder(sent.projectPath) : null
  if (!path) errors.projectPath = PATH_MESSAGE
  const common = { name: name!, path: path! }
  if (sent.type === 'build') {
    const { packageManager: manager } = sent
    const known = typeof manager === 'string' && Object.hasOwn(packageManagers, manager)
    if (!known) errors.packageManager = 'Choose npm, pnpm or yarn.'
    const port = parsePortNumber(sent.port)
    if (!port || port < 1024) errors.port = 'Enter a local port from 1024 to 65535.'
    throwFieldErrors(errors)
    return { type: 'build', ...common, packageManager: manager as PackageManager, port: port! }
  }
  if (sent.type === 'nonBuild') {
    const script = typeof sent.script === 'string' ? sent.script.trim().replace(/^\.\//, '') : ''
    if (!SCRIPT_PATTERN.test(script))
      errors.script = 'Enter the main script, for example server.js.'
    throwFieldErrors(errors)
    return { type: 'nonBuild', ...common, script }
  }
  errors.type = 'Choose build or nonBuild.'
  throw invalid(errors)
}

/**
 * Parses an action and the name of a process.
 * @throws 422 with errors at the fields
 */
export function parseProcessAction(sent: Sent): { action: ProcessAction; name: string } {
  const errors: Record<string, string> = {}
  const action = processActions.find((known) => known === sent.action)
  if (!action) errors.action = 'Choose start, stop, restart or delete.'
  const name = typeof sent.name === 'string' ? sent.name : ''
  if (!name || name.length > 200) errors.name = 'Enter the name of the process.'
  throwFieldErrors(errors)
  return { action: action!, name }
}

function readName(value: unknown): string | null {
  const text = typeof value === 'string' ? value.trim() : ''
  return PROJECT_NAME_PATTERN.test(text) && text.toLowerCase() !== 'all' ? text : null
}

function throwFieldErrors(errors: Record<string, string>): void {
  if (Object.keys(errors).length) throw invalid(errors)
}
