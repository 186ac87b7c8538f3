import type { Instance } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'

let cachedInstallationId: string | undefined

/** What tells this installation's containers from everybody else's on the same Incus. */
export async function loadInstallationId(): Promise<string> {
  if (cachedInstallationId) return cachedInstallationId
  const row = await db.from('settings').where('key', 'installation_id').select('value').first()
  if (!row) throw new Error('This installation has no id: migrations have not been run')
  cachedInstallationId = String(row.value)
  return cachedInstallationId
}

/** The setting that says whose a container is. */
export const INSTALLATION_CONFIG_KEY = 'user.berth.installation'
/** The name of the installation's watchdog, of which each host has one. */
export function watchdogContainerName(): Promise<string> {
  return uniqueIncusName('keeper')
}

/** A name in Incus that no other installation gives: `berth-`, some letters of this one, what it is. */
export async function uniqueIncusName(what: string): Promise<string> {
  const short = (await loadInstallationId()).replace(/[^0-9a-f]/g, '').slice(0, 6)
  return `berth-${short}-${what}`
}

/** Whether any installation of Berth made it. */
export function isCreatedByBerth({ config }: Pick<Instance, 'config'>): boolean {
  return Boolean(config[INSTALLATION_CONFIG_KEY])
}
