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

/**
 * Saves usage events. If a `source` is reported again with a larger quantity, saves the difference as a further event:
 * a day can be reported before the last of its usage was counted. Otherwise a repeated report adds nothing.
 */
export async function recordUsage(uses: Usage[]): Promise<void> {
  if (uses.length === 0) return
  await db.rawQuery(
    `insert into usage_events (account_id, meter, quantity, at, source, thing)
     select "accountId", meter, quantity - coalesce(before, 0), at, source || coalesce(':after:' || before, ''), thing
     from jsonb_to_recordset(?::jsonb) as uses (
       "accountId" bigint, meter text, quantity numeric, at timestamptz, source text, thing text)
     cross join lateral (
       select sum(known.quantity) as before from usage_events known
       where known.account_id = uses."accountId" and known.at = uses.at
         and (known.source = uses.source or starts_with(known.source, uses.source || ':after:'))) recorded
     where before is null or quantity > before
     on conflict (source) do nothing`,
    [JSON.stringify(uses.map((use) => ({ ...use, at: use.at.toISO() })))]
  )
}
