import type { BillingOverview, MonthRow } from '#billing/transformers/overview_page_props'
import { billingTimeZone } from '#core/settings/regional_settings'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

const OVERVIEW_MONTHS = 12

/**
 * Sums up billed and paid amounts by month and currency, in the billing time zone. A customer is new in
 * the month of the first bill, and lost in the month after the last one, unless that is the current month.
 */
const BY_MONTH_SQL = `
  with months as (
    select to_char(begins, 'YYYY-MM') as month, begins
    from generate_series(cast(:first as timestamp), cast(:last as timestamp), interval '1 month') begins),
  moved as (
    select to_char(created_at at time zone :zone, 'YYYY-MM') as month, currency, kind,
      sum(amount) as amount
    from ledger_transfers where kind in ('billed', 'paid', 'overpaid', 'refunded')
      and created_at >= cast(:first as timestamp) at time zone :zone
    group by 1, 2, 3),
  known as (
    select account_id, date_trunc('month', min(billing_date)::timestamp) as since,
      date_trunc('month', max(billing_date)::timestamp) + interval '1 month' as until
    from bills where family = 'console' and status <> 'deleted' group by account_id)
  select months.month,
    coalesce(sum(amount) filter (where currency = 'USD' and kind = 'billed'), 0)::text as billed_usd,
    coalesce(sum(case kind when 'refunded' then -amount else amount end)
      filter (where currency = 'USD' and kind <> 'billed'), 0)::text as paid_usd,
    coalesce(sum(amount) filter (where currency = 'BDT' and kind = 'billed'), 0)::text as billed_bdt,
    coalesce(sum(amount) filter (where currency = 'BDT' and kind in ('paid', 'overpaid')), 0)::text as paid_bdt,
    (select count(*) from known where since = begins) as new_customers,
    (select count(*) from known where until = begins
      and until < cast(:last as timestamp)) as lost_customers
  from months left join moved on moved.month = months.month
  group by months.month, begins order by months.month`

const PENDING_BILLS_SQL = `
  select family, count(*)::int as bills, min(updated_at) as oldest from bills
  where status = 'processing' group by family`

const OVERDUE_SQL = `
  select age, count(*)::int as bills, sum(due)::text as due from (
    select amount - paid - credited - written_off as due,
      case when cast(:today as date) - due_date <= 7 then 'week'
        when cast(:today as date) - due_date <= 30 then 'month' else 'older' end as age
    from bills where family = 'console' and status in ('pending', 'rejected')
      and due_date < cast(:today as date)) overdue group by age`

export async function loadBillingOverview(now: DateTime): Promise<BillingOverview> {
  const local = now.setZone(billingTimeZone())
  const last = local.startOf('month')
  const bindings = {
    zone: billingTimeZone(),
    last: last.toISODate()!,
    first: last.minus({ months: OVERVIEW_MONTHS - 1 }).toISODate()!,
  }
  const [months, waiting, overdue] = await Promise.all([
    db.rawQuery(BY_MONTH_SQL, bindings),
    db.rawQuery(PENDING_BILLS_SQL),
    db.rawQuery(OVERDUE_SQL, { today: local.toISODate()! }),
  ])
  return {
    months: months.rows.map((row: MonthRow) => ({
      ...row,
      new_customers: Number(row.new_customers),
      lost_customers: Number(row.lost_customers),
    })),
    waiting: waiting.rows.map((row: { oldest: Date }) => ({
      ...row,
      oldest: row.oldest.toISOString(),
    })),
    overdue: overdue.rows,
  }
}
