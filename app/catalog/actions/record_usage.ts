import type { MeterKey } from '#core/modules'
import db from '@adonisjs/lucid/services/db'
import type { DateTime } from 'luxon'

export interface UsageReport {
  accountId: number
  meter: MeterKey
  /** Exact decimal number, in the meter's unit. */
  quantity: string
  at: DateTime
  /** Unique key. A later report with the same key and time replaces the earlier one. */
  source: string
  /** Type and id of the resource: `vault:7`. */
  thing: string
}

/**
 * The last report with the same `source` counts, so that a day's usage can be reported early and
 * corrected. Each correction adds an event with the difference, which can be negative. Billing charges the total of a
 * month; a correction after that changes the next bill.
 */
export async function recordUsage(uses: UsageReport[]): Promise<void> {
  if (uses.length === 0) return
  // The key of a correction contains the sum before it. After a decrease the same sum can occur again, so the key then
  // also contains the number of events.
  await db.rawQuery(
    `insert into usage_events (account_id, meter, quantity, at, source, thing)
     select "accountId", meter, quantity - coalesce(before, 0), at,
       source || coalesce(':after:' || before || case when has_decreases then ':' || reports else '' end, ''), thing
     from jsonb_to_recordset(?::jsonb) as uses (
       "accountId" bigint, meter text, quantity numeric, at timestamptz, source text, thing text)
     cross join lateral (
       select sum(known.quantity) as before, count(*) as reports,
         bool_or(known.quantity < 0 and known.source <> uses.source) as has_decreases
       from usage_events known
       where known.account_id = uses."accountId" and known.at = uses.at
         and (known.source = uses.source or starts_with(known.source, uses.source || ':after:'))) recorded
     where quantity <> coalesce(before, 0)
     on conflict (source) do nothing`,
    [JSON.stringify(uses.map((use) => ({ ...use, at: use.at.toISO() })))]
  )
}
