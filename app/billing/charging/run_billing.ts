import {
  loadBillingStart,
  chargeLateUsage,
  chargeUsageThroughMonth,
  chargeSubscriptionPeriods,
} from '#billing/charging/create_charges'
import { sendBillMailsOnce } from '#billing/actions/send_bill_mails'
import { makeBills } from '#billing/charging/make_bills'
import Bill from '#billing/models/bill'
import { type BillingProgress, saveBillingProgress } from '#billing/queries/unbilled_periods'
import { loadRegionalSettings } from '#core/settings/load_regional_settings'
import { billingTimeZone } from '#core/settings/regional_settings'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

/**
 * Hours from the end of a month in the billing time zone until its usage is charged. Usage is
 * reported for UTC days. In zones east of UTC, the last UTC day ends up to 14 hours after the
 * month. In zones west of UTC, it ends up to 24 hours after it. `chargeLateUsage` charges later
 * reports.
 */
const USAGE_SETTLE_HOURS = { east: 12, west: 36 }

const MAIL_BATCH_SIZE = 500

/**
 * Runs all steps of billing. If a step is interrupted, repeated or run concurrently, nothing is
 * charged, billed or emailed twice.
 */
export async function runBilling(now: DateTime, signal?: AbortSignal): Promise<void> {
  const progress = await createDueCharges(now)
  try {
    await makeBills(now, { signal })
    if (!signal?.aborted) await saveBillingProgress(progress)
  } finally {
    await mailNewBills(signal)
  }
}

export async function createDueCharges(
  now: DateTime,
  trx?: TransactionClientContract
): Promise<BillingProgress> {
  await loadRegionalSettings(trx)
  const from = DateTime.fromISO(await loadBillingStart(trx))
  const progress = await chargeSubscriptionPeriods(from, now, trx)
  const last = lastClosedMonth(now)
  await chargeUsageThroughMonth(from, last, trx)
  const after = DateTime.fromISO(last).plus({ months: 1 }).toFormat('yyyy-MM')
  await chargeLateUsage(from, after, trx)
  return progress
}

export function lastClosedMonth(now: DateTime): string {
  const local = now.setZone(billingTimeZone())
  const hours = local.offset < 0 ? USAGE_SETTLE_HOURS.west : USAGE_SETTLE_HOURS.east
  return local.minus({ hours }).minus({ months: 1 }).toFormat('yyyy-MM')
}

export async function mailNewBills(signal?: AbortSignal): Promise<void> {
  const since = DateTime.utc().minus({ days: 3 }).toSQL()!
  const older = await Bill.query().where('createdAt', '<=', since).orderBy('id', 'desc').first()
  let after = older?.id ?? 0
  while (!signal?.aborted) {
    const result = await db.transaction(async (trx) => {
      const bills = await Bill.query({ client: trx })
        .where('family', 'console')
        .where('createdAt', '>', since)
        .where('id', '>', after)
        .whereRaw(
          `not exists (select 1 from bill_mails where bill_id = bills.id and step = 'created')`
        )
        .orderBy('id')
        .limit(MAIL_BATCH_SIZE)
        .forUpdate()
      await sendBillMailsOnce(bills, 'created', 'created', trx)
      return bills
    })
    if (result.length < MAIL_BATCH_SIZE) return
    after = result.at(-1)!.id
  }
}
