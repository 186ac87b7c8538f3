import { takeNumbers } from '#billing/actions/ledger'
import { LEAST_BILL } from '#billing/prices'
import { billingSettings } from '#billing/settings'
import { customerEmail } from '#accounts/public'
import { CALENDAR } from '#core/calendar'
import { publishEach } from '#core/live/live'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { DateTime } from 'luxon'

/** Days in which a bill is to be paid (product, "Money"). */
export const DAYS_TO_PAY = 7
/** Bills of one transaction. */
const AT_ONCE = 2_000

/**
 * One statement, so that what is summed up is what is taken up: a bill for each account that has open
 * charges, its charges, and its transfer in the books. What was given back and is more than what was
 * charged waits for the next one.
 */
const MAKE = `
  with open as (
    select account_id, sum(cost) as amount from bill_charges
    where bill_id is null and account_id > :after
    group by account_id having sum(cost) >= :least order by account_id limit :limit),
  made as (
    insert into bills (family, number, account_id, currency, amount, billing_date, due_date, zone, issued, run_id)
    select 'console', :series || '-' || lpad((:first - 1 + row_number() over (order by account_id))::text, 6, '0'),
      account_id, 'USD', amount, cast(:day as date), cast(:day as date) + cast(:days as int), :zone,
      jsonb_build_object('seller', cast(:seller as jsonb),
        'buyer', jsonb_build_object('name', accounts.name, 'email', ${customerEmail})), cast(:run as bigint)
    from open join accounts on accounts.id = open.account_id order by account_id
    returning id, account_id, amount),
  taken as (
    update bill_charges set bill_id = made.id from made
    where bill_charges.account_id = made.account_id and bill_charges.bill_id is null),
  posted as (
    insert into ledger_transfers (bill_id, kind, debit, credit, currency, amount)
    select id, 'billed', 'receivable', 'income', 'USD', amount from made order by id)
  select id, account_id from made order by id`

interface Making {
  /** For which it is done, where staff started it; otherwise for Berth's own of the day. */
  run?: number
  signal?: AbortSignal
  /** Told how many there are so far. */
  tell?: (made: number) => Promise<void>
}

/**
 * Makes bills of everything that is charged and not billed yet. Nothing is billed twice, however often and
 * from however many processes this is called: they take turns at the numbers.
 * @returns how many
 */
export async function makeBills(
  now: DateTime,
  { run, signal, tell }: Making = {}
): Promise<number> {
  const day = now.setZone(CALENDAR)
  const series = `B-${day.year}`
  const { seller } = await billingSettings()
  let [total, after] = [0, 0]
  while (!signal?.aborted) {
    const made = await db.transaction(async (trx) => {
      const first = await takeNumbers(series, 0, trx)
      if (!total && !(await anyOpen(trx))) return []
      const { rows } = await trx.rawQuery(MAKE, {
        ...{ series, first, after, least: LEAST_BILL, limit: AT_ONCE, day: day.toISODate()! },
        ...{ days: DAYS_TO_PAY, zone: CALENDAR, seller: JSON.stringify(seller) },
        run: run ?? (await runOfDay(day.toISODate()!, trx)),
      })
      await takeNumbers(series, rows.length, trx)
      return rows as { id: number; account_id: number }[]
    })
    // Afterwards: whoever waits for the numbers does not wait for this too.
    await publishEach(made.map(({ id, account_id: owner }) => ({ topic: `bill:${id}`, owner })))
    total += made.length
    // Those before have theirs; what is charged to them meanwhile is the next run's.
    after = Math.max(after, ...made.map(({ account_id: account }) => Number(account)))
    await tell?.(total)
    if (made.length < AT_ONCE) return total
  }
  return total
}

/** Whether anybody is to get a bill; without it no run is written down. */
async function anyOpen(trx: TransactionClientContract): Promise<boolean> {
  const open = trx.from('bill_charges').whereNull('bill_id').groupBy('account_id')
  return !!(await open.havingRaw('sum(cost) >= ?', [LEAST_BILL]).select('account_id').first())
}

/** Berth's own run of a day: what it made on it without being asked. */
async function runOfDay(day: string, trx: TransactionClientContract): Promise<number> {
  const { rows } = await trx.rawQuery(
    `insert into billing_runs (day, status, ended_at) values (?, 'done', now())
     on conflict (day) do update set ended_at = excluded.ended_at returning id`,
    [day]
  )
  return Number(rows[0].id)
}
