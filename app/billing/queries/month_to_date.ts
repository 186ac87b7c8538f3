import { loadBillingStart } from '#billing/charging/create_charges'
import {
  type ChargeQuery,
  periodChargesQuery,
  unusedPeriodCreditsQuery,
  usageChargesQuery,
} from '#billing/queries/charges'
import type { MonthToDate } from '#billing/transformers/page_props'
import { billingTimeZone, regionalSettings } from '#core/settings/regional_settings'
import { sumAmounts, dollarsToTaka } from '#core/money'
import { loadDollarRate } from '#core/settings/dollar_rate'
import Big from 'big.js'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** Returns the month in the billing time zone: `2026-10`. */
export const calendarMonth = (now: DateTime) => now.setZone(billingTimeZone()).toFormat('yyyy-MM')

/**
 * Selects this month's charges until now: periods that have begun, credits and usage. They equal the charges that
 * billing creates, whether or not it has created them yet.
 */
async function monthToDateCharges(now: DateTime): Promise<ChargeQuery> {
  const start = now.setZone(billingTimeZone()).startOf('month')
  const since = DateTime.fromISO(await loadBillingStart())
  const [began, ended, used] = [
    periodChargesQuery({ from: DateTime.max(start, since), until: now }),
    unusedPeriodCreditsQuery({ from: since, until: now }),
    usageChargesQuery(calendarMonth(now)),
  ]
  const before = `select 1 from bill_charges where bill_charges.source = ended.source
    and bill_charges.created_at < :month_start`
  return {
    sql: `(${began.sql}) union all (${used.sql}) union all
      (select * from (${ended.sql.replaceAll(':from', ':since')}) ended where not exists (${before}))`,
    bindings: {
      ...began.bindings,
      ...used.bindings,
      since: ended.bindings.from,
      month_start: start.toISO()!,
    },
  }
}

interface Row {
  source: string
  type: string
  name: string
  bill_type: string
  cost: string
}

export async function loadMonthToDate(accountId: number, now: DateTime): Promise<MonthToDate> {
  const { sql, bindings } = await monthToDateCharges(now)
  const [rate, alert, { rows }] = await Promise.all([
    loadDollarRate(),
    db.from('billing_alerts').where('account_id', accountId).select('amount').first(),
    db.rawQuery(
      `select source, type, name, bill_type, cost from (${sql}) lines
       where account_id = :account order by type, name, source`,
      { ...bindings, account: accountId }
    ),
  ])
  const total = dollarsToTaka(sumAmounts((rows as Row[]).map(({ cost }) => cost)), rate)
  return {
    month: calendarMonth(now),
    services: (rows as Row[]).map(({ cost, ...row }) => ({
      ...row,
      cost_taka: dollarsToTaka(cost, rate),
    })),
    total,
    alert: alert?.amount ?? null,
    crossed: alert !== null && new Big(total).gte(alert.amount),
  }
}

export async function listAccountsToAlert(
  now: DateTime
): Promise<{ accountId: number; account: string; amount: string; total: string }[]> {
  const rate = await loadDollarRate()
  const { sql, bindings } = await monthToDateCharges(now)
  const { rows } = await db.rawQuery(
    `select billing_alerts.account_id, accounts.name, amount, sum(cost) as cost
     from billing_alerts
     join accounts on accounts.id = billing_alerts.account_id
     join (${sql}) lines on lines.account_id = billing_alerts.account_id
     where told_month is distinct from :told
     group by billing_alerts.account_id, accounts.name, amount
     having round(sum(cost) * cast(:rate as numeric), :digits) >= amount
     order by billing_alerts.account_id`,
    { ...bindings, told: calendarMonth(now), rate, digits: regionalSettings().digits }
  )
  return rows.map((row: { account_id: string; name: string; amount: string; cost: string }) => ({
    accountId: Number(row.account_id),
    account: row.name,
    amount: row.amount,
    total: dollarsToTaka(row.cost, rate),
  }))
}
