import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Stored under the key `billing` in `settings`. */
export interface BillingSettings {
  merchantAccount: string
  seller: { name: string; address: string; bin: string; vat?: string }
}

const defaultBillingSettings: BillingSettings = {
  merchantAccount: '',
  seller: { name: 'Berth', address: '', bin: '', vat: '' },
}

export async function loadBillingSettings(
  trx?: TransactionClientContract
): Promise<BillingSettings> {
  const row = await (trx ?? db).from('settings').where('key', 'billing').select('value').first()
  return { ...defaultBillingSettings, ...(row?.value as Partial<BillingSettings> | undefined) }
}

export async function saveBillingSettings(
  settings: BillingSettings,
  trx: TransactionClientContract
): Promise<void> {
  await trx.rawQuery(
    `insert into settings (key, value) values ('billing', ?::jsonb)
     on conflict (key) do update set value = excluded.value`,
    [JSON.stringify(settings)]
  )
}
