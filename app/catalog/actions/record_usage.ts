import type { MeterKey } from '#core/modules'
import db from '@adonisjs/lucid/services/db'
import type { DateTime } from 'luxon'

export interface Usage {
  accountId: number
  meter: MeterKey
  /** Exact decimal. */
  quantity: string
  at: DateTime
  /** Unique key: a repeated report is not counted again. */
  source: string
  /** Type and id of the resource: `vault:7`. */
  thing: string
}

/** Ignores an event whose `source` exists already. */
export async function recordUsage(uses: Usage[]): Promise<void> {
  if (uses.length === 0) return
  await db.rawQuery(
    `insert into usage_events (account_id, meter, quantity, at, source, thing)
     select "accountId", meter, quantity, at, source, thing
     from jsonb_to_recordset(?::jsonb) as uses (
       "accountId" bigint, meter text, quantity numeric, at timestamptz, source text, thing text)
     on conflict (source) do nothing`,
    [JSON.stringify(uses.map((use) => ({ ...use, at: use.at.toISO() })))]
  )
}
