import type { Instance } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'

let known: string | undefined

/** What tells this installation's containers from everybody else's on the same Incus. */
export async function installationId(): Promise<string> {
  if (known) return known
  const row = await db.from('settings').where('key', 'installation_id').select('value').first()
  if (!row) throw new Error('This installation has no id: migrations have not been run')
  known = String(row.value)
  return known
}

/** The setting that says whose a container is. */
export const INSTALLATION = 'user.berth.installation'
const INSTANCE = 'user.berth.instance'

/** The settings that mark a container as ours. */
export async function marksOf(instanceId: number): Promise<Record<string, string>> {
  return { [INSTALLATION]: await installationId(), [INSTANCE]: String(instanceId) }
}

/** The settings of a container that is no longer ours. */
export const NO_MARKS: Record<string, string> = { [INSTALLATION]: '', [INSTANCE]: '' }

/** Its name in Incus: `berth-`, some letters of the installation, the id. */
export function systemNameOf(instanceId: number): Promise<string> {
  return nameOf(String(instanceId))
}

/** The name of the installation's keeper, of which each host has one. */
export function keeperName(): Promise<string> {
  return nameOf('keeper')
}

async function nameOf(what: string): Promise<string> {
  const short = (await installationId()).replace(/[^0-9a-f]/g, '').slice(0, 6)
  return `berth-${short}-${what}`
}

/** The id that a container of this installation was made for; null for everybody else's. */
export async function recordedIn({ config }: Pick<Instance, 'config'>): Promise<number | null> {
  if (config[INSTALLATION] !== (await installationId())) return null
  const id = Number(config[INSTANCE])
  return Number.isSafeInteger(id) && id > 0 ? id : null
}

/** Whether any installation of Berth made it. */
export function isMarked({ config }: Pick<Instance, 'config'>): boolean {
  return Boolean(config[INSTALLATION])
}
