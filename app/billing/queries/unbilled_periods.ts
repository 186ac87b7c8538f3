import {
  LOOK_BACK_DAYS,
  type PeriodSpan,
  undeliveredPeriodChargesQuery,
} from '#billing/queries/charges'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

const PROGRESS_KEY = 'billing_progress'
const MAX_LISTED = 50

/** A period that began but is not billed, because its resource was not delivered. */
export interface UnbilledPeriod {
  accountId: number
  account: string
  name: string
  /** First day of the period, an ISO date. */
  day: string
}

/** Stored under PROGRESS_KEY in `settings`. */
export interface BillingProgress {
  /** ISO time up to which the last complete run created charges. */
  at: string
  /** ISO time. Every period that began before it is charged. */
  chargedUntil: string
  /** Periods that wait for the delivery of their resource, oldest first; at most `MAX_LISTED`. */
  unbilled: UnbilledPeriod[]
}

export async function findBillingProgress(
  trx?: TransactionClientContract
): Promise<BillingProgress | null> {
  const row = await (trx ?? db).from('settings').where('key', PROGRESS_KEY).select('value').first()
  return row?.value ?? null
}

/**
 * Returns the span to charge. It starts early enough for the oldest uncharged period, for example
 * after an outage.
 */
export async function loadPeriodSpan(
  from: DateTime,
  until: DateTime,
  trx?: TransactionClientContract
): Promise<PeriodSpan> {
  const progress = await findBillingProgress(trx)
  const charged = progress ? DateTime.min(DateTime.fromISO(progress.chargedUntil), until) : until
  return { from, until, lookedSince: charged.minus({ days: LOOK_BACK_DAYS }) }
}

/**
 * Computes the progress for `saveBillingProgress`. Call it before charging. A period whose resource
 * is delivered meanwhile then stays on the list once more, instead of being missed.
 */
export async function computeBillingProgress(
  span: PeriodSpan,
  trx?: TransactionClientContract
): Promise<BillingProgress> {
  const { sql, bindings } = undeliveredPeriodChargesQuery(span)
  const { rows: unbilled } = await (trx ?? db).rawQuery<{ rows: UnbilledPeriod[] }>(
    `select account_id as "accountId", accounts.name as account, waiting.name,
       split_part(source, ':', 3) as day
     from (${sql}) waiting join accounts on accounts.id = account_id
     order by day, source limit ${MAX_LISTED}`,
    bindings
  )
  const { until } = span
  const oldest = unbilled[0] ? DateTime.fromISO(unbilled[0].day) : until
  return {
    at: until.toUTC().toISO()!,
    chargedUntil: DateTime.min(oldest, until).toISO()!,
    unbilled,
  }
}

/**
 * Call this only after the bills were made, because an alert uses the progress to report runs that
 * never complete.
 */
export async function saveBillingProgress(progress: BillingProgress): Promise<void> {
  await db.rawQuery(
    `insert into settings (key, value) values (?, ?::jsonb)
     on conflict (key) do update set value = excluded.value
       where cast(settings.value ->> 'at' as timestamptz) <= cast(excluded.value ->> 'at' as timestamptz)`,
    [PROGRESS_KEY, JSON.stringify(progress)]
  )
}
