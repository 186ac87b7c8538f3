import type { Requester } from '#billing/public_effects'
import { audit } from '#core/audit/audit'
import encryption from '@adonisjs/core/services/encryption'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { randomBytes } from 'node:crypto'

/** Hours for which a replaced secret stays valid. */
export const SECRET_OVERLAP_HOURS = 24

interface Row {
  secret: string
  created_at: Date
  ends_at: Date | null
}

/** Newest first. Empty until an administrator creates a secret. */
export async function listCourierSigningSecrets(): Promise<string[]> {
  const rows = await listValidSecrets()
  return rows.map(({ secret }) => encryption.decrypt<string>(secret)!)
}

/** Returns when the current secret was created and when the previous one expires, as ISO times. */
export async function loadCourierSecretDates(): Promise<{
  since: string | null
  before_ends: string | null
}> {
  const [now, before] = await listValidSecrets()
  return {
    since: now?.created_at.toISOString() ?? null,
    before_ends: before?.ends_at?.toISOString() ?? null,
  }
}

/**
 * The previous secret stays valid for a day, so that Auto Courier can change over. With `atOnce`, for
 * a leaked secret, it becomes invalid immediately.
 */
export async function rotateCourierSecret(
  { actor, ip }: Requester,
  atOnce = false
): Promise<string> {
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  await db.transaction(async (trx) => {
    await trx.rawQuery('lock table courier_secrets in share row exclusive mode')
    // Only one replaced secret may be valid, so a secret that was replaced earlier becomes invalid now.
    await trx
      .from('courier_secrets')
      .whereNotNull('ends_at')
      .update({ ends_at: trx.raw('now()') })
    await trx.rawQuery(
      `update courier_secrets set ends_at = now() + make_interval(hours => ?) where ends_at is null`,
      [atOnce ? 0 : SECRET_OVERLAP_HOURS]
    )
    await trx.table('courier_secrets').insert({ secret: encryption.encrypt(secret) })
    const subject = { type: 'dollar_rate' as const, id: 'auto_courier', label: 'Auto Courier' }
    await audit({ actor, ip, action: 'billing.courier_secret', subject, after: { atOnce } }, trx)
  })
  return secret
}

async function listValidSecrets(trx?: TransactionClientContract): Promise<Row[]> {
  return (trx ?? db)
    .from('courier_secrets')
    .whereRaw('(ends_at is null or ends_at > now())')
    .orderBy('id', 'desc')
    .select('secret', 'created_at', 'ends_at')
}
