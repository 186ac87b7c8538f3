import { commandFailed } from '#guest/public'
import { SITE_OWNER_USER, SITE_OWNER_HOME, stripTerminalCodes } from '#guest/public_effects'
import { getProcess, runProcessAction } from '#projects/pm2/process_actions'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const EMERGENCY_STOP_SCRIPT = readScript(import.meta, 'force_stop.sh')

/** Exit code of the script if no app with this name runs. */
const NOT_RUNNING = 4

/**
 * Kills a process as root through the host and prevents its restart, for an instance that responds neither to
 * SSH nor to `pm2`. Then stops it in PM2, which may be about to restart it.
 * @throws 404 if there is no process of that name
 */
export async function forceStopProcess(machine: Machine, name: string): Promise<void> {
  const argv = [
    'sh',
    '-c',
    EMERGENCY_STOP_SCRIPT,
    'berth-stop',
    name,
    SITE_OWNER_USER,
    SITE_OWNER_HOME,
  ]
  const { code, stderr } = await machine.exec(argv, { user: 'root', cwd: '/', timeout: 150_000 })
  if (code !== 0 && code !== NOT_RUNNING)
    throw commandFailed(
      'The process could not be stopped by force',
      stripTerminalCodes(`${stderr}`)
    )
  await runProcessAction(machine, 'stop', [await getProcess(machine, name)])
}
