import { invalid } from '#core/app_error'
import { runCommand } from '#guest/public_effects'
import {
  poolName,
  POOL_FILE_LAST_LINE,
  renderPool,
  poolSocket,
} from '#projects/virtual_host/php_pool'
import type { VirtualHost } from '#projects/virtual_host/virtual_host_types'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const PHP_VERSIONS_SCRIPT = readScript(import.meta, 'list_php_versions.sh')

/** Newest first. */
export async function listInstalledPhpVersions(machine: Machine): Promise<string[]> {
  const output = await runCommand(
    machine,
    'The PHP versions could not be read',
    ['sh', '-c', PHP_VERSIONS_SCRIPT],
    {
      timeout: 30_000,
    }
  )
  return output.split('\n').filter((line) => /^\d+\.\d+$/.test(line))
}

const APPLY_POOL_SCRIPT = readScript(import.meta, 'apply_php_pool.sh')

const REMOVE_POOL_SCRIPT = readScript(import.meta, 'remove_php_pools.sh')

/**
 * Uses the newest PHP version unless the project selects one, and returns the version. If PHP
 * rejects the settings, restores the previous ones.
 * @throws 422 for a version that is not installed
 */
export async function configurePhpPool(
  machine: Machine,
  projectId: number,
  pool: { host: VirtualHost; workers: number }
): Promise<string> {
  const installed = await listInstalledPhpVersions(machine)
  const version = pool.host.php_version ?? installed[0]
  if (!version || !installed.includes(version)) {
    const installedText = installed.length
      ? `Installed: ${installed.join(', ')}.`
      : 'No PHP is installed.'
    throw invalid({
      php_version: `PHP ${version ?? ''} is not on this server instance. ${installedText}`,
    })
  }
  const argv = [
    'sh',
    '-c',
    APPLY_POOL_SCRIPT,
    'berth-php',
    version,
    poolName(projectId),
    poolSocket(projectId, version),
  ]
  await runCommand(machine, 'PHP did not accept the settings', [...argv, POOL_FILE_LAST_LINE], {
    user: 'root',
    stdin: renderPool(projectId, version, pool),
    timeout: 120_000,
  })
  return version
}

/** Removes the project's pools of all PHP versions except `version`. */
export async function removeOldPhpPools(
  machine: Machine,
  projectId: number,
  version: string | null
): Promise<void> {
  const argv = ['sh', '-c', REMOVE_POOL_SCRIPT, 'berth-php', poolName(projectId), version ?? '']
  await runCommand(machine, 'The project could not be removed from PHP', argv, {
    user: 'root',
    timeout: 60_000,
  })
}
