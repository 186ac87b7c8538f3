import { reserveSeriesNumbers } from '#billing/actions/ledger'
import { noRateForBills } from '#billing/errors'
import { minBillDollars } from '#billing/prices'
import {
  accountRangeBindings,
  withSequentialScansDisabled,
  isLastRange,
  findNextAccountRange,
} from '#billing/queries/account_ranges'
import { loadBillingSettings } from '#billing/settings'
import { OWNER_EMAIL_SQL } from '#accounts/public'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { loadRegionalSettingsWithSharedLock } from '#core/settings/load_regional_settings'
import { regionalSettings } from '#core/settings/regional_settings'
import { publishForOwners } from '#core/live/live_events'
import db from '@adonisjs/lucid/services/db'
import Big from 'big.js'
import type { DateTime } from 'luxon'

/**
 * Creates bills for a range of accounts, assigns their open charges, and posts the ledger
 * transfers. One SQL statement does all, so each amount equals the sum of its charges. Without
 * `:run`, bills belong to the day's automatic run.
 */
const MAKE_BILLS_SQL = `
  with open as materialized (
    select account_id, sum(cost) as amount from bill_charges
    where bill_id is null and account_id > :above and account_id <= :up_to
    group by account_id having sum(cost) >= :least),
  of_day as (
    insert into billing_runs (day, status, ended_at) select cast(:day as date), 'done', now()
    where cast(:run as bigint) is null and exists (select 1 from open)
    on conflict (day) do update set ended_at = excluded.ended_at returning id),
  made as (
    insert into bills (family, number, account_id, currency, amount, billing_date, due_date, zone, issued, run_id)
    select 'console', :series || '-' || lpad(place, greatest(6, length(place)), '0'),
      account_id, 'USD', amount, cast(:day as date), cast(:day as date) + cast(:days as int), :zone,
      jsonb_build_object('seller', cast(:seller as jsonb),
        'buyer', jsonb_build_object('name', accounts.name, 'email', ${OWNER_EMAIL_SQL}),
        'fee', cast(:fee as text)),
      coalesce(cast(:run as bigint), (select id from of_day))
    from (select *, (:first - 1 + row_number() over (order by account_id))::text as place from open) numbered
      join accounts on accounts.id = account_id order by account_id
    returning id, account_id, amount),
  taken as (
    update bill_charges set bill_id = made.id from made
    where bill_charges.account_id = made.account_id and bill_charges.bill_id is null),
  posted as (
    insert into ledger_transfers (bill_id, kind, debit, credit, currency, amount)
    select id, 'billed', 'receivable', 'income', 'USD', amount from made order by id)
  select id, account_id from made order by id`

export const ACCOUNTS_WITH_OPEN_CHARGES_QUERY = {
  sql: 'select account_id from bill_charges where bill_id is null',
  bindings: {},
}

interface BillRunContext {
  run?: number
  signal?: AbortSignal
  reportProgress?: (count: number) => Promise<void>
}

/**
 * Creates one bill with all open charges for each account. Accounts whose charges sum to less than
 * the minimum bill get none yet. A lock on the bill numbers makes concurrent calls wait, so that no
 * charge is on two bills. A trigger freezes each bill's dollar rate (decision 0081).
 * @returns the number of bills
 * @throws 409 if no dollar rate is set, because the amounts in taka would be 0
 */
export async function makeBills(
  now: DateTime,
  { run, signal, reportProgress }: BillRunContext = {}
): Promise<number> {
  const { seller } = await loadBillingSettings()
  let total = 0
  let above: string | undefined
  while (!signal?.aborted) {
    const { made, accounts } = await db.transaction(async (trx) => {
      await loadRegionalSettingsWithSharedLock(trx)
      const { billingTimeZone, daysToPay, feePercent } = regionalSettings()
      const day = now.setZone(billingTimeZone)
      const series = `B-${day.year}`
      const rate = await loadDollarRate(trx)
      if (new Big(rate).lte(0)) throw noRateForBills()
      const least = minBillDollars(rate)
      const first = await reserveSeriesNumbers(series, 0, trx)
      // All accounts up to `above` already have their bills. Charges that they get now wait for the
      // next run.
      const accounts = await findNextAccountRange(ACCOUNTS_WITH_OPEN_CHARGES_QUERY, trx, above)
      const { rows } = await withSequentialScansDisabled(trx, () =>
        trx.rawQuery(MAKE_BILLS_SQL, {
          series,
          first,
          least,
          day: day.toISODate()!,
          // Cast, because the driver's types do not allow `null`.
          run: (run ?? null) as number,
          days: daysToPay,
          zone: billingTimeZone,
          fee: feePercent,
          seller: JSON.stringify(seller),
          ...accountRangeBindings(accounts),
        })
      )
      await reserveSeriesNumbers(series, rows.length, trx)
      return { made: rows as { id: number; account_id: number }[], accounts }
    })
    // Runs after the transaction, because the transaction keeps the bill numbers locked for other
    // processes.
    await publishForOwners(
      made.map(({ id, account_id: owner }) => ({ topic: `bill:${id}`, owner }))
    )
    total += made.length
    await reportProgress?.(total)
    if (isLastRange(accounts)) return total
    above = accounts.upTo
  }
  return total
}
