import {
  type AccountRange,
  withSequentialScansDisabled,
  forEachAccountRange,
} from '#billing/queries/account_ranges'
import {
  type ChargeQuery,
  CHARGE_COLUMNS,
  lateUsageChargesQuery,
  periodChargesQuery,
  unusedPeriodCreditsQuery,
  usageChargesQuery,
  usageInMonthQuery,
} from '#billing/queries/charges'
import {
  type BillingProgress,
  computeBillingProgress,
  loadPeriodSpan,
} from '#billing/queries/unbilled_periods'
import { meteredPrices } from '#billing/prices'
import {
  assertBillingTimeZoneWithSharedLock,
  loadRegionalSettingsWithSharedLock,
} from '#core/settings/load_regional_settings'
import { billingTimeZone } from '#core/settings/regional_settings'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { DateTime } from 'luxon'

function notYetCharged({ sql, bindings }: ChargeQuery): ChargeQuery {
  const known = 'select 1 from bill_charges where bill_charges.source = lines.source'
  return { sql: `select * from (${sql}) lines where not exists (${known})`, bindings }
}

/**
 * Saves each charge once; a bill uses it later. Inserts in a fixed order, so that concurrent runs
 * do not deadlock.
 */
export async function saveChargesFromQuery(
  lines: ChargeQuery,
  trx: TransactionClientContract
): Promise<void> {
  const { sql, bindings } = notYetCharged(lines)
  const insert = `
    insert into bill_charges (${CHARGE_COLUMNS}) select ${CHARGE_COLUMNS} from (${sql}) fresh
    order by account_id, source on conflict (source) do nothing`
  await withSequentialScansDisabled(trx, () => trx.rawQuery(insert, bindings))
}

/** Usage and periods before this time are free. */
export async function loadBillingStart(trx?: TransactionClientContract): Promise<string> {
  const row = await (trx ?? db)
    .from('settings')
    .where('key', 'billing_from')
    .select('value')
    .first()
  return String(row?.value ?? '2000-01-01T00:00:00Z')
}

/**
 * Charges periods of subscriptions, and credits unused days of subscriptions that ended early.
 * @returns the progress, which the caller saves after the bills are made
 */
export async function chargeSubscriptionPeriods(
  from: DateTime,
  until: DateTime,
  trx?: TransactionClientContract
): Promise<BillingProgress> {
  const span = await loadPeriodSpan(from, until, trx)
  const progress = await computeBillingProgress(span, trx)
  const sold = { sql: 'select account_id from subscriptions', bindings: {} }
  const charge = async (accounts: AccountRange, client: TransactionClientContract) => {
    await saveChargesFromQuery(periodChargesQuery(span, accounts), client)
    await saveChargesFromQuery(unusedPeriodCreditsQuery(span, accounts), client)
  }
  await forEachAccountRange(sold, charge, trx)
  return progress
}

export async function chargeUsage(
  month: string,
  trx?: TransactionClientContract,
  zone = billingTimeZone()
): Promise<void> {
  const charge = (accounts: AccountRange, client: TransactionClientContract) =>
    saveChargesFromQuery(usageChargesQuery(month, accounts), client)
  await forEachAccountRange(usageInMonthQuery(month), charge, trx, zone)
}

/**
 * Charges the usage of all uncharged months up to `last`, including months that earlier runs
 * missed. `chargeLateUsage` charges usage that is reported later.
 * @param last `2026-10`, in the billing time zone
 * @throws 409 if the billing time zone changes meanwhile
 */
export async function chargeUsageThroughMonth(
  from: DateTime,
  last: string,
  trx?: TransactionClientContract
): Promise<void> {
  const zone = billingTimeZone()
  const { rows } = await (trx ?? db).rawQuery(
    `select to_char(begun, 'YYYY-MM') as month
     from (select greatest(cast(? as timestamptz), min(at)) at time zone ? as first
       from unnest(cast(? as text[])) known
       cross join lateral (select min(at) as at from usage_events where meter = known) told) known
     cross join generate_series(date_trunc('month', first), cast(? as timestamp), '1 month') begun
     where not exists (select 1 from usage_months where month = to_char(begun, 'YYYY-MM'))
     order by begun`,
    [from.toISO()!, zone, meteredPrices().map(({ meter }) => meter), `${last}-01`]
  )
  for (const { month } of rows as { month: string }[]) {
    const client = trx ?? db
    // Read before charging starts, because usage that arrives after this time counts as late.
    const began = await client.rawQuery('select now()::text as at')
    await chargeUsage(month, trx, zone)
    const close = async (own: TransactionClientContract) => {
      await assertBillingTimeZoneWithSharedLock(zone, own)
      await own.rawQuery(
        'insert into usage_months (month, charged_at) values (?, ?) on conflict do nothing',
        [month, began.rows[0].at]
      )
    }
    await (trx ? close(trx) : db.transaction(close))
  }
}

export async function chargeLateUsage(
  from: DateTime,
  month: string,
  trx?: TransactionClientContract
): Promise<void> {
  const charge = async (client: TransactionClientContract) => {
    await loadRegionalSettingsWithSharedLock(client)
    await saveChargesFromQuery(lateUsageChargesQuery(from, month), client)
  }
  await (trx ? charge(trx) : db.transaction(charge))
}

/** Returns the cost of a month's uncharged usage by account. Uses the same query as charging. */
export async function previewUsageCosts(
  month: string
): Promise<{ accountId: number; cost: string }[]> {
  const { sql, bindings } = notYetCharged(usageChargesQuery(month))
  const { rows } = await db.rawQuery(
    `select account_id, sum(cost) as cost from (${sql}) fresh group by account_id order by account_id`,
    bindings
  )
  return rows.map((row: { account_id: number; cost: string }) => ({
    accountId: row.account_id,
    cost: row.cost,
  }))
}
