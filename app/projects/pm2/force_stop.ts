import { notFound } from '#core/app_error'
import { commandFailed } from '#guest/public'
import { SITE_OWNER_USER, SITE_OWNER_HOME, stripTerminalCodes } from '#guest/engine'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const EMERGENCY_STOP_SCRIPT = readScript(import.meta, 'force_stop.sh')

/**
 * Runs as root through the host, without asking PM2 first, for an instance that answers neither
 * over SSH nor to `pm2`.
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
  if (code === 4) throw notFound('process')
  if (code !== 0)
    throw commandFailed(
      'The process could not be stopped by force',
      stripTerminalCodes(`${stderr}`)
    )
}
