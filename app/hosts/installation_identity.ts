import type { Instance } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'

let cachedInstallationId: string | undefined

/**
 * The id marks the installation's containers, because several installations can share an Incus.
 * @throws if migrations have not been run
 */
export async function loadInstallationId(): Promise<string> {
  if (cachedInstallationId) return cachedInstallationId
  const row = await db.from('settings').where('key', 'installation_id').select('value').first()
  if (!row) throw new Error('This installation has no id: migrations have not been run')
  cachedInstallationId = String(row.value)
  return cachedInstallationId
}

export const INSTALLATION_CONFIG_KEY = 'user.berth.installation'
export function watchdogContainerName(): Promise<string> {
  return uniqueIncusName('keeper')
}

/**
 * Returns a name for Incus that no other installation uses: `berth-`, six hex digits of the installation's id, and
 * `what`.
 */
export async function uniqueIncusName(what: string): Promise<string> {
  const short = (await loadInstallationId()).replace(/[^0-9a-f]/g, '').slice(0, 6)
  return `berth-${short}-${what}`
}

/** Returns whether any Berth installation, not only this one, created the container. */
export function isCreatedByBerth({ config }: Pick<Instance, 'config'>): boolean {
  return Boolean(config[INSTALLATION_CONFIG_KEY])
}
