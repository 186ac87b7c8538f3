import { loadBillingStart } from '#billing/charging/create_charges'
import { createDueCharges } from '#billing/charging/run_billing'
import type { SkippedAccount } from '#billing/skipped_account'
import { loadMinBillDollars } from '#billing/prices'
import { undeliveredPeriodChargesQuery } from '#billing/queries/charges'
import { loadPeriodSpan } from '#billing/queries/unbilled_periods'
import type { MonthComparisonRow, RunPreview, RunRow } from '#billing/transformers/run_page_props'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { billingTimeZone, regionalSettings } from '#core/settings/regional_settings'
import { formatDollarAmount } from '#core/money'
import { type ListDefinition, queryListPage, type ListRequest } from '#core/list_page'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

const MAX_SKIPPED_NAMES = 200

export async function listSkippedAccounts(
  now: DateTime,
  trx?: TransactionClientContract
): Promise<SkippedAccount[]> {
  const from = DateTime.fromISO(await loadBillingStart(trx))
  const least = await loadMinBillDollars(trx)
  const { sql, bindings } = undeliveredPeriodChargesQuery(await loadPeriodSpan(from, now, trx))
  const { rows } = await (trx ?? db).rawQuery(
    `select account_id, accounts.name, waits::text, reason from (
       select account_id, sum(cost) as waits, case when sum(cost) < 0
         then 'The account has more credit than charges' else cast(:small as text) end as reason
       from bill_charges where bill_id is null group by account_id having sum(cost) < :least
       union all
       select account_id, sum(cost), 'Not delivered yet: ' || string_agg(distinct name, ', ' order by name)
       from (${sql}) undelivered group by account_id) open
     join accounts on accounts.id = account_id order by waits, account_id limit :most`,
    {
      ...bindings,
      least,
      small: `The charges are less than ${formatDollarAmount(least)}`,
      most: MAX_SKIPPED_NAMES,
    }
  )
  return rows
}

/** `total` is in dollars. */
export async function loadRunTotals(runId: number): Promise<{ bills: number; total: string }> {
  const row = await db
    .from('bills')
    .where('run_id', runId)
    .select(db.raw('count(*) as bills'), db.raw('coalesce(sum(amount), 0)::text as total'))
    .first()
  return { bills: Number(row.bills), total: row.total }
}

/** Newest first. `total` is in taka; each bill is converted at its own rate. */
export async function listLastRuns(limit = 20): Promise<RunRow[]> {
  const { rows } = await db.rawQuery(
    `select billing_runs.id, day::text, billing_runs.status, error, skipped, people.name as by,
        billing_runs.created_at, ended_at, made.bills, made.total
     from billing_runs left join people on people.id = started_by
     cross join lateral (select count(*) as bills,
         coalesce(sum(round(amount * coalesce(dollar_rate, ?), ?)), 0)::text as total
       from bills where run_id = billing_runs.id) made
     order by billing_runs.id desc limit ?`,
    [await loadDollarRate(), regionalSettings().digits, limit]
  )
  return rows.map((row: Record<string, never> & { created_at: Date; ended_at: Date | null }) => ({
    id: row.id,
    day: row.day,
    status: row.status,
    error: row.error,
    by: row.by,
    skipped: row.skipped,
    bills: Number(row.bills),
    total: row.total,
    created_at: row.created_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  }))
}

/** Compares each account's bills of the previous month with its bills and open charges of this month. */
const MONTH_COMPARISON_SQL = `
  (select account_id, accounts.name, before, now, case
      when before = 0 then 'new' when now = 0 then 'gone'
      when now > before * (1 + cast(? as numeric) / 100) then 'up'
      when now < before * (1 - cast(? as numeric) / 100) then 'down' else 'same' end as change
  from (
    select account_id, sum(before) as before, sum(now) as now from (
      select account_id,
        case when billing_date < cast(? as date) then amount else 0 end as before,
        case when billing_date < cast(? as date) then 0 else amount end as now
      from bills where family = 'console' and status <> 'deleted'
        and billing_date >= cast(? as date) - interval '1 month'
      union all
      select account_id, 0, sum(cost) from bill_charges where bill_id is null
      group by account_id having sum(cost) >= ?) both_months
    group by account_id) sums
  join accounts on accounts.id = account_id where before > 0 or now > 0) compared`

export const monthChangeFilters = {
  new: 'New',
  gone: 'No charges',
  up: 'Increased',
  down: 'Decreased',
  same: 'Same',
}

/**
 * Percentages that the page offers. A change of more than the chosen percentage counts as up or
 * down.
 */
export const changeThresholdPercents = ['5', '10', '20', '50', '100']

export const monthComparisonListDefinition: ListDefinition = {
  statuses: monthChangeFilters,
  statusColumn: 'change',
  apart: ['same'],
  sorts: { account: 'account_id', before: 'before', now: 'now', by: 'now - before' },
  order: '-now',
  ties: 'account_id',
  // This filter removes no rows. `previewBillingRun` uses the percentage to classify changes.
  filters: {
    percent: (text) =>
      changeThresholdPercents.includes(text) ? { sql: 'true', bindings: [] } : null,
  },
  search: (text) => ({ sql: 'strpos(lower(name), lower(?)) > 0', bindings: [text] }),
}

/**
 * Creates the charges in a transaction and rolls it back, so that the preview cannot differ from the run.
 * @param minChangePercent change above which an account counts as up or down
 */
export async function previewBillingRun(
  now: DateTime,
  list: ListRequest,
  minChangePercent: number
) {
  const trx = await db.transaction()
  try {
    await createDueCharges(now, trx)
    const least = await loadMinBillDollars(trx)
    const { rows: services } = await trx.rawQuery(
      `select type, bill_type, count(*) as lines, sum(cost)::text as cost from bill_charges
       where bill_id is null and account_id in (select account_id from bill_charges
         where bill_id is null group by account_id having sum(cost) >= ?)
       group by type, bill_type order by sum(cost) desc, type, bill_type limit 100`,
      [least]
    )
    const { rows: sums } = await trx.rawQuery(
      `select count(*) as bills, coalesce(sum(amount), 0)::text as total from
         (select sum(cost) as amount from bill_charges where bill_id is null
          group by account_id having sum(cost) >= ?) open`,
      [least]
    )
    const month = now.setZone(billingTimeZone()).startOf('month').toISODate()!
    const bindings = [minChangePercent, minChangePercent, month, month, month, least]
    const compared = trx.from(trx.raw(MONTH_COMPARISON_SQL, bindings) as never).select('*')
    const { rows, ...facts } = await queryListPage<MonthComparisonRow>(
      compared,
      list,
      monthComparisonListDefinition
    )
    const preview: RunPreview = {
      bills: Number(sums[0].bills),
      total: sums[0].total,
      services: services.map((row: { lines: string }) => ({ ...row, lines: Number(row.lines) })),
      skipped: await listSkippedAccounts(now, trx),
    }
    return { preview, facts, accounts: rows }
  } finally {
    await trx.rollback()
  }
}
