import { machineReportedError, noWebRoot } from '#guest/errors'
import { SITE_OWNER_USER, translateMachineErrors } from '#guest/machine/run_command'
import { webRoot } from '#guest/machine/web_root'
import type { ExecResult, Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const AGREE_TIMEOUT_MS = 60_000
const FIX_TIMEOUT_MS = 10 * 60_000

const OWNERSHIP_SCRIPT = readScript(import.meta, 'web_root_ownership.sh')

/**
 * Sets a default ACL on the web root, so that the site user can change new files and folders in it. Existing subfolders
 * do not get the ACL. Fast and idempotent.
 */
export async function grantOwnerAccessToWebRoot(machine: Machine): Promise<void> {
  await run(machine, 'agree', AGREE_TIMEOUT_MS)
}

/**
 * Makes the site user the owner of root's files, and lets it change files of other users.
 * @returns the number of changed files and folders
 * @throws AppError if the site user or the web root is missing, or the script fails
 */
export async function fixWebRootOwnership(machine: Machine): Promise<number> {
  const { code, stdout, stderr } = await run(machine, 'fix', FIX_TIMEOUT_MS)
  if (code === 33)
    throw machineReportedError(`this server instance has no user ${SITE_OWNER_USER}.`)
  if (code === 31) throw noWebRoot()
  if (code !== 0) throw machineReportedError(stderr.toString().trim())
  return Number(stdout.toString().trim())
}

function run(machine: Machine, verb: string, timeout: number): Promise<ExecResult> {
  const argv = ['sh', '-c', OWNERSHIP_SCRIPT, 'sh', verb, webRoot.path, SITE_OWNER_USER]
  return translateMachineErrors(() => machine.exec(argv, { user: 'root', timeout }))
}
