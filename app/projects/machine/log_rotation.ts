import { runCommand, SITE_OWNER_HOME, SITE_OWNER_USER } from '#guest/public_effects'
import { absoluteWebPath } from '#guest/public'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const INSTALL_SCRIPT = readScript(import.meta, 'install_log_rotation.sh')
const ROTATE_SCRIPT = readScript(import.meta, 'rotate_logs.sh')

/** A log larger than this is emptied. A second file keeps the newest part of the removed text. */
const MAX_KIB = 20 * 1024
const SAVED_BYTES = 10 * 1024 ** 2

/** Days without writes after which an unused log is deleted, for example that of a removed process. */
const UNUSED_LOG_DAYS = 30

/**
 * A part of the stored version of each web server. If it changes, existing instances get log rotation installed again.
 */
export const logRotationVersion = `${INSTALL_SCRIPT}${ROTATE_SCRIPT}${MAX_KIB} ${SAVED_BYTES} ${UNUSED_LOG_DAYS}`

/** Idempotent. */
export async function installLogRotation(machine: Machine): Promise<void> {
  const argv = [
    'sh',
    '-c',
    INSTALL_SCRIPT,
    'berth-logs',
    SITE_OWNER_USER,
    SITE_OWNER_HOME,
    absoluteWebPath(''),
    String(MAX_KIB),
    String(SAVED_BYTES),
    String(UNUSED_LOG_DAYS),
  ]
  await runCommand(machine, 'Log rotation could not be set up', argv, {
    user: 'root',
    stdin: ROTATE_SCRIPT,
    timeout: 60_000,
  })
}
