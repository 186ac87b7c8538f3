import { assertRateIsOneForDollars } from '#billing/actions/change_rate_and_settings'
import { PARTNER_CURRENCY } from '#billing/bill_families'
import type { Requester } from '#billing/actions/with_locked_bill'
import { audit } from '#core/audit/audit'
import { conflict, invalid } from '#core/app_error'
import {
  findRegionalSettings,
  loadRegionalSettings,
  lockRegionalSettingsExclusively,
  saveRegionalSettings,
} from '#core/settings/load_regional_settings'
import type { RegionalSettings, UsagePrices } from '#core/settings/regional_settings'
import Big from 'big.js'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

const STORED_DIGITS = 2
const MAX_FEE_PERCENT = 100
/**
 * Local dates differ by up to 26 hours between time zones. A rate from two days ago applies in all
 * of them.
 */
const RATE_LEAD_DAYS = 2

type Change = Omit<RegionalSettings, 'billingTimeZone' | 'freeThrough'>

/**
 * Issued bills keep their fee and due date. After the first bill or charge, billing keeps its time zone.
 * @param rate price of a dollar, exact decimal; required for a new currency, otherwise ignored
 * @throws 422 for values that cannot work; 409 for another currency or other decimals once there are bills or
 *   spending alerts
 */
export async function changeRegionalSettings(
  change: Change,
  rate: string | null,
  { actor, ip }: Requester,
  client?: TransactionClientContract
): Promise<void> {
  assertKnownCurrency(change)
  if (new Big(change.feePercent).gt(MAX_FEE_PERCENT)) {
    throw invalid({ fee_percent: `Enter a percentage from 0 to ${MAX_FEE_PERCENT}.` })
  }
  await (client ?? db).transaction(async (trx) => {
    // Stops bills, charges, alerts and rates until the transaction ends. They would use the old
    // currency or time zone.
    await lockRegionalSettingsExclusively(trx)
    const before = await findRegionalSettings(trx)
    await assertKnownTimeZone(change.timeZone, trx)
    const isOtherMoney = before.currency !== change.currency || before.digits !== change.digits
    if (isOtherMoney) {
      await assertNoAmounts(before.currency, trx)
      assertPartnersCanBill(change)
    }
    const keepsCalendar = await hasRows(['bills', 'bill_charges', 'usage_months'], trx)
    const after: RegionalSettings = {
      ...change,
      billingTimeZone: keepsCalendar ? before.billingTimeZone : change.timeZone,
      freeThrough: await findFreeMonths(before, change, trx),
    }
    if (before.currency !== change.currency) await replaceRates(after, rate, actor, trx)
    await saveRegionalSettings(after, trx)
    const subject = { type: 'dollar_rate' as const, id: 'regional', label: 'regional' }
    const entry = { actor, ip, action: 'billing.update', subject }
    await audit({ ...entry, before: { ...before }, after: { ...after } }, trx)
  })
  await loadRegionalSettings(client)
}

function assertKnownCurrency({ currency }: Change): void {
  if (!Intl.supportedValuesOf('currency').includes(currency)) {
    throw invalid({ currency: `${currency} is not a currency of ISO 4217.` })
  }
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  if ((format.resolvedOptions().maximumFractionDigits ?? 0) > STORED_DIGITS) {
    throw invalid({
      currency: `Berth stores payments with ${STORED_DIGITS} decimal places. ${currency} has more.`,
    })
  }
}

/**
 * Throws 422 if amounts of partners' bills would be rounded. The payments would then differ from
 * the bills.
 */
function assertPartnersCanBill({ currency, digits }: Change): void {
  if (currency === PARTNER_CURRENCY && digits < STORED_DIGITS) {
    throw invalid({
      digits: `Bills of partners are in ${currency} with ${STORED_DIGITS} decimal places. Choose ${STORED_DIGITS}.`,
    })
  }
}

/**
 * Returns the free months with a new value for each price raised from 0: the last month that was charged. Usage up
 * to that month stays free. A late usage report would otherwise charge all usage of that month.
 */
async function findFreeMonths(
  before: RegionalSettings,
  { prices }: Change,
  trx: TransactionClientContract
): Promise<RegionalSettings['freeThrough']> {
  const last = await trx.from('usage_months').orderBy('month', 'desc').select('month').first()
  const freeThrough = { ...before.freeThrough }
  for (const name of Object.keys(prices) as (keyof UsagePrices)[]) {
    const isRaised = new Big(before.prices[name]).eq(0) && new Big(prices[name]).gt(0)
    if (isRaised && last) freeThrough[name] = last.month
  }
  return freeThrough
}

/**
 * Throws 422 for a time zone that `Intl` or PostgreSQL does not know. `Intl` alone would accept
 * offsets such as `+06:00`.
 */
async function assertKnownTimeZone(
  timeZone: string,
  trx: TransactionClientContract
): Promise<void> {
  const known = await trx.from('pg_timezone_names').where('name', timeZone).first()
  if (!known || !isIntlTimeZone(timeZone)) {
    throw invalid({ time_zone: 'Enter the name of a time zone, such as Europe/Berlin.' })
  }
}

function isIntlTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}

async function assertNoAmounts(currency: string, trx: TransactionClientContract): Promise<void> {
  if (await hasRows(['bills'], trx)) {
    throw conflict(
      `The currency and its decimal places cannot change any more, because there are bills in ${currency}.`
    )
  }
  if (await hasRows(['billing_alerts'], trx)) {
    throw conflict(
      `The currency cannot change while customers have spending alerts in ${currency}. Ask them to remove the alerts.`
    )
  }
}

async function hasRows(tables: string[], trx: TransactionClientContract): Promise<boolean> {
  for (const table of tables) if (await trx.from(table).first()) return true
  return false
}

/** The old rates are in the old currency, and no bill has used them. */
async function replaceRates(
  { currency, billingTimeZone }: RegionalSettings,
  rate: string | null,
  actor: Requester['actor'],
  trx: TransactionClientContract
): Promise<void> {
  if (rate === null || new Big(rate).lte(0)) {
    throw invalid({ rate: `Enter the price of one dollar in ${currency}.` })
  }
  assertRateIsOneForDollars(currency, rate)
  await trx.from('dollar_rates').delete()
  const today = DateTime.now().setZone(billingTimeZone)
  const from = today.minus({ days: RATE_LEAD_DAYS }).toISODate()!
  const row = { effective_from: from, rate, created_by: actor?.id ?? null }
  await trx.insertQuery().table('dollar_rates').insert(row)
}
