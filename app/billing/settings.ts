import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** What staff set about billing; the key `billing` of the settings. */
export interface BillingSettings {
  /** To which mobile account people send money. */
  merchantAccount: string
  /** Who sells, as bills name it. */
  seller: { name: string; address: string; bin: string; vat?: string }
}

const defaultBillingSettings: BillingSettings = {
  merchantAccount: '',
  seller: { name: 'Berth', address: '', bin: '', vat: '' },
}

/** As set; what was never set is empty. */
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
