import {
  type AccountRange,
  accountRangeBindings,
  accountRangeSql,
} from '#billing/queries/account_ranges'
import { meteredPrices } from '#billing/prices'
import { soldResourceDeliveredSql, soldResourceNameSql } from '#catalog/public'
import { billingTimeZone } from '#core/settings/regional_settings'
import type { DateTime } from 'luxon'

export interface ChargeQuery {
  sql: string
  bindings: Record<string, string>
}

/** Days before the end of a query that it covers. Older periods are already charged. */
export const LOOK_BACK_DAYS = 100

export interface PeriodSpan {
  from: DateTime
  until: DateTime
  /** Start of the days that the query covers. Default: LOOK_BACK_DAYS before `until`. */
  lookedSince?: DateTime
}

export const CHARGE_COLUMNS =
  'account_id, source, type, name, bill_type, billing_period, quantity, unit_price, cost'

/**
 * Selects the periods of subscriptions in the span, counted from the anchor as in `nextRenewal`. A
 * charge is for `days` of the `days_all` calendar days of the period, in the billing time zone. The
 * two differ if the subscription starts within the period.
 */
const periodsSql = (accounts?: AccountRange, only = '') => `
  select one.*, period_from, period_to, seg_from,
    period_to::date - period_from::date as days_all,
    period_to::date - seg_from::date as days,
    case when period_from <= started_local then price else renewal_price end as period_price,
    'subscription:' || one.id || ':' || period_from::date as source
  from (
    select subscriptions.*, started_at at time zone :zone as started_local,
      anchored_at at time zone :zone as anchored_local,
      greatest(started_at, cast(:from as timestamptz), cast(:looked_since as timestamptz))
        at time zone :zone as looked_from,
      least(ended_at, cast(:until as timestamptz)) at time zone :zone as looked_until
    from subscriptions
    where coalesce(ended_at, 'infinity') >= cast(:looked_since as timestamptz)
      and started_at <= cast(:until as timestamptz) ${accountRangeSql(accounts)} ${only}) one
  cross join lateral (select ('1 ' || period)::interval as step,
    (extract(year from looked_from) - extract(year from anchored_local))
      * case period when 'month' then 12 else 1 end
    + case period when 'month'
      then extract(month from looked_from) - extract(month from anchored_local) else 0 end as first,
    (extract(year from looked_until) - extract(year from anchored_local))
      * case period when 'month' then 12 else 1 end
    + case period when 'month'
      then extract(month from looked_until) - extract(month from anchored_local) else 0 end as last)
    counts
  cross join lateral generate_series(greatest(first - 1, 0)::int, greatest(last, 0)::int) n
  cross join lateral (select anchored_local + n * step as period_from,
    anchored_local + (n + 1) * step as period_to) bounds
  cross join lateral (select greatest(period_from, started_local) as seg_from) segment
  where period_to > started_local and seg_from <= looked_until
    and seg_from >= cast(:from as timestamptz) at time zone :zone`

const begunPeriodsSql = (accounts?: AccountRange, only?: string) => `
      select account_id, source, subject_type as type,
        ${soldResourceNameSql('subject_type', 'subject_id')} as name,
        coalesce((select server_packages.name from package_versions
          join server_packages on server_packages.id = server_package_id
          where package_versions.id = package_version_id), 'Package') as bill_type,
        period as billing_period, round(days::numeric / days_all, 6) as quantity,
        period_price as unit_price, round(period_price * days / days_all, 6) as cost
      from (${periodsSql(accounts, only)}) periods
      where days > 0 and period_price > 0
        and (ended_at is null or ended_at > seg_from at time zone :zone)`

/**
 * Selects charges for every period that has begun and whose resource has been delivered.
 * @param span periods that began before `from` are not charged
 */
export function periodChargesQuery(span: PeriodSpan, accounts?: AccountRange): ChargeQuery {
  const delivered = soldResourceDeliveredSql('subject_type', 'subject_id')
  return {
    sql: `${begunPeriodsSql(accounts)} and ${delivered}`,
    bindings: { ...times(span), ...accountRangeBindings(accounts) },
  }
}

export function undeliveredPeriodChargesQuery(span: PeriodSpan): ChargeQuery {
  const delivered = soldResourceDeliveredSql('subject_type', 'subject_id')
  return {
    sql: begunPeriodsSql(undefined, `and ended_at is null and not ${delivered}`),
    bindings: times(span),
  }
}

/**
 * Selects credits for charged days after the end of a subscription. After a resize, the day of the
 * end is charged to the new subscription, so it is credited too. Otherwise it counts as used.
 */
export function unusedPeriodCreditsQuery(span: PeriodSpan, accounts?: AccountRange): ChargeQuery {
  return {
    sql: `
      select account_id, source || ':ended' as source, subject_type as type, charged.name,
        charged.bill_type || ', not used' as bill_type, period as billing_period,
        round(unused::numeric / days_all, 6) as quantity, -period_price as unit_price,
        -round(period_price * unused / days_all, 6) as cost
      from (select periods.*, least(days, period_to::date - (ended_at at time zone :zone)::date
          - case end_reason when 'resized' then 0 else 1 end) as unused
        from (${periodsSql(accounts)}) periods
        where ended_at <= cast(:until as timestamptz) and ended_at < period_to at time zone :zone) ended
      cross join lateral (select name, bill_type from bill_charges
        where bill_charges.source = ended.source) charged
      where unused > 0 and period_price > 0`,
    bindings: { ...times(span), ...accountRangeBindings(accounts) },
  }
}

const times = ({ from, until, lookedSince }: PeriodSpan) => ({
  zone: billingTimeZone(),
  from: from.toISO()!,
  until: until.toISO()!,
  looked_since: (lookedSince ?? until.minus({ days: LOOK_BACK_DAYS })).toISO()!,
})

/**
 * Condition for usage reported after its month had ended. Its first part is true for such usage in every time zone,
 * and must equal the predicate of the partial index.
 */
const REPORTED_LATE_SQL = `created_at >= (date_trunc('month', at at time zone 'UTC' - interval '12 hours')
    + interval '1 month' - interval '14 hours') at time zone 'UTC'
  and created_at >= (date_trunc('month', at at time zone :zone) + interval '1 month') at time zone :zone`

const IN_MONTH_SQL = `at >= (:month || '-01')::timestamp at time zone :zone
      and at < ((:month || '-01')::timestamp + interval '1 month') at time zone :zone`

/**
 * Selects charges for the usage of a month that is not charged yet.
 * @param month in the billing time zone: `2026-10`
 */
export function usageChargesQuery(month: string, accounts?: AccountRange): ChargeQuery {
  const monthly = `
    select account_id, thing, meter, cast(:month as text) as month, sum(quantity) as total
    from usage_events where ${IN_MONTH_SQL} ${accountRangeSql(accounts)}
    group by account_id, thing, meter`
  return {
    sql: chargeable(monthly),
    bindings: { zone: billingTimeZone(), month, ...accountRangeBindings(accounts) },
  }
}

export function usageInMonthQuery(month: string): ChargeQuery {
  const sql = `select account_id from usage_events where ${IN_MONTH_SQL}`
  return { sql, bindings: { zone: billingTimeZone(), month } }
}

/**
 * Usage that arrived up to this long before its month was charged also counts as late, because its
 * transaction may not have been committed then.
 */
const USAGE_VISIBILITY_DELAY = '1 hour'

/**
 * Selects charges for usage that was reported or corrected after its month was charged: the current
 * total of the month minus what was charged. Covers the months before `month`.
 * @param from start of the usage that can be charged late
 */
export function lateUsageChargesQuery(from: DateTime, month: string): ChargeQuery {
  const late = `
    select account_id, thing, meter, month, sum(quantity) as total
    from (
      select distinct account_id, thing, meter, to_char(at at time zone :zone, 'YYYY-MM') as month
      from usage_events
      where ${REPORTED_LATE_SQL} and at >= cast(:from as timestamptz)
        and at < (:month || '-01')::timestamp at time zone :zone
        and created_at >= coalesce((select charged_at - interval '${USAGE_VISIBILITY_DELAY}' from usage_months
          where usage_months.month = to_char(at at time zone :zone, 'YYYY-MM')), '-infinity')) told
    join usage_events using (account_id, thing, meter)
    where at >= (month || '-01')::timestamp at time zone :zone
      and at < ((month || '-01')::timestamp + interval '1 month') at time zone :zone
    group by account_id, thing, meter, month`
  return {
    sql: chargeable(late),
    bindings: { zone: billingTimeZone(), month, from: from.toISO()! },
  }
}

/**
 * Charges the quantity above the included one, minus earlier charges. A correction to a smaller
 * quantity creates a negative charge at the average price of the earlier charges. `source` is unique
 * and contains the earlier quantity, so two concurrent runs create the same charge once. After a
 * correction the same quantity can occur again, so `source` then also contains the number of earlier
 * charges.
 */
function chargeable(totals: string): string {
  const values = meteredPrices().map(
    ({ meter, billType, price, unit, included, freeThrough, perHour }) =>
      `('${meter}', '${billType}', ${price}, ${unit}::numeric${perHour ? ' * hours' : ''}, ${included}, '${freeThrough}')`
  )
  return `
    select account_id, source || case when lines = 0 then ''
        else ':after:' || before || case when has_corrections then ':' || lines else '' end
      end as source,
      noun as type, ${soldResourceNameSql('noun', 'thing_id')} as name,
      bill_type || case when lines = 0 then '' when used < before then ', corrected'
        else ', reported late' end as bill_type,
      month as billing_period, used - before as quantity, line_price as unit_price,
      round((used - before) * line_price, 6) as cost
    from (
      select events.*, split_part(thing, ':', 1) as noun,
        split_part(thing, ':', 2)::bigint as thing_id, bill_type, price,
        'usage:' || thing || ':' || events.meter || ':' || month as source,
        round(greatest(total / unit - included, 0), 6) as used
      from (${totals}) events
      cross join lateral (select extract(epoch from interval '1 day') / 3600
        * extract(day from (month || '-01')::date + interval '1 month' - interval '1 day') as hours)
        whole
      cross join lateral (values ${values.join(', ')})
        prices (meter, bill_type, price, unit, included, free_through)
      where prices.meter = events.meter and month > free_through) used
    cross join lateral (
      select coalesce(sum(quantity), 0) as before, sum(cost) as cost_before, count(*) as lines,
        coalesce(bool_or(quantity < 0), false) as has_corrections
      from bill_charges
      where bill_charges.account_id = used.account_id and billing_period = month
        and bill_charges.source like 'usage:%'
        and (bill_charges.source = used.source
          or starts_with(bill_charges.source, used.source || ':after:'))) charged
    cross join lateral (
      select case when used < before then cost_before / before else price end as line_price) priced
    where round((used - before) * line_price, 6) <> 0`
}
