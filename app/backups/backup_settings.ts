import type { Retention, BackupTarget } from '#packages/backup/contract'
import encryption from '@adonisjs/core/services/encryption'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface BackupSettings {
  /** Where backups are stored: a folder, or `s3:https://host/bucket/folder`. */
  place: string
  accessKeyId: string | null
  region: string | null
  active: boolean
  /** Minutes between point-in-time backups. */
  every: number
  /** Hour (0-23) in the installation's time zone at which the daily full backup becomes due. */
  fullHour: number
  keep: Retention
  /**
   * Result of the last check of the target. `new`: not checked since the settings were last saved. `refused`: not
   * usable, for the reason in `trouble`.
   */
  state: 'new' | 'ready' | 'refused'
  trouble: string | null
}

interface Row extends Omit<BackupSettings, 'accessKeyId' | 'fullHour'> {
  access_key_id: string | null
  secret_access_key: string | null
  full_hour: number
}

function readPlanRow(trx?: TransactionClientContract): Promise<Row | null> {
  return (trx ?? db).from('backup_plan').first()
}

/** Returns `null` if no storage target is set. */
export async function loadBackupSettings(
  trx?: TransactionClientContract
): Promise<BackupSettings | null> {
  const row = await readPlanRow(trx)
  if (!row) return null
  const { place, region, active, every, keep, state, trouble } = row
  return {
    place,
    region,
    active,
    every,
    keep,
    state,
    trouble,
    accessKeyId: row.access_key_id,
    fullHour: row.full_hour,
  }
}

export async function hasTargetSecret(): Promise<boolean> {
  return Boolean((await readPlanRow())?.secret_access_key)
}

/** Contains the decrypted secret key, which only the backup program may use. */
export async function loadBackupTarget(): Promise<BackupTarget | null> {
  const row = await readPlanRow()
  if (!row) return null
  const { place, region, access_key_id: accessKeyId, secret_access_key: sealed } = row
  return {
    place,
    ...(region && { region }),
    ...(accessKeyId && { accessKeyId }),
    ...(sealed && { secretAccessKey: encryption.decrypt<string>(sealed) ?? undefined }),
  }
}

export type BackupSettingsChange = Omit<BackupSettings, 'state' | 'trouble'> & {
  /** New secret key. Undefined: keep the saved key, unless the target changes. */
  secretAccessKey?: string
}

export async function saveBackupSettings(
  plan: BackupSettingsChange,
  trx: TransactionClientContract
): Promise<void> {
  const row = await readPlanRow(trx)
  // For another storage target, the saved key is deleted. It must never be sent to a different target.
  const stays = row?.place === plan.place ? row.secret_access_key : null
  const sealed = plan.secretAccessKey ? encryption.encrypt(plan.secretAccessKey) : stays
  const { place, accessKeyId, region, active, every, fullHour, keep } = plan
  await trx
    .insertQuery()
    .table('backup_plan')
    .insert({
      place,
      region,
      active,
      every,
      state: 'new',
      trouble: null,
      access_key_id: accessKeyId,
      secret_access_key: sealed,
      full_hour: fullHour,
      keep: JSON.stringify(keep),
    })
    .onConflict('one')
    .merge()
}

export async function saveTargetStatus(trouble: string | null): Promise<void> {
  await db.from('backup_plan').update({ state: trouble ? 'refused' : 'ready', trouble })
}
