import type { Requester } from '#billing/public_effects'
import { audit } from '#core/audit/audit'
import db from '@adonisjs/lucid/services/db'

/** Returns `null` if no URL is set. Events then wait. */
export async function loadCourierWebhookUrl(): Promise<string | null> {
  const row = await db.from('settings').where('key', 'auto_courier').select('value').first()
  return (row?.value as { url: string | null } | undefined)?.url ?? null
}

export async function saveCourierWebhookUrl(
  url: string | null,
  { actor, ip }: Requester
): Promise<void> {
  const before = { url: await loadCourierWebhookUrl() }
  await db.transaction(async (trx) => {
    await trx.rawQuery(
      `insert into settings (key, value) values ('auto_courier', ?::jsonb)
       on conflict (key) do update set value = excluded.value`,
      [JSON.stringify({ url })]
    )
    const subject = { type: 'dollar_rate' as const, id: 'auto_courier', label: 'Auto Courier' }
    const action = 'billing.courier_address'
    await audit({ actor, ip, action, subject, before, after: { url } }, trx)
  })
}
