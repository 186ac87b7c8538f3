import type { Requester } from '#billing/actions/with_locked_bill'
import { type BillingSettings, loadBillingSettings, saveBillingSettings } from '#billing/settings'
import { audit } from '#core/audit/audit'
import { assertCurrencyWithSharedLock } from '#core/settings/load_regional_settings'
import { billingTimeZone, regionalSettings } from '#core/settings/regional_settings'
import { invalid } from '#core/app_error'
import Big from 'big.js'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

export function assertRateIsOneForDollars(currency: string, rate: string): void {
  if (currency === 'USD' && !new Big(rate).eq(1))
    throw invalid({ rate: 'The currency is USD, so the rate must be 1.' })
}

/**
 * Saves the rate that applies from `day` on. Past rates must not change, so `day` is today or
 * later.
 * @param rate taka per dollar, exact decimal
 * @param day ISO date in the billing time zone
 * @throws 422 for an invalid rate or day; 409 if the currency changes meanwhile
 */
export async function saveDollarRate(
  rate: string,
  day: string,
  { actor, ip }: Requester
): Promise<void> {
  if (new Big(rate).lte(0)) throw invalid({ rate: 'Enter a rate above 0.' })
  const { currency } = regionalSettings()
  await db.transaction(async (trx) => {
    await assertCurrencyWithSharedLock(currency, trx)
    assertRateIsOneForDollars(currency, rate)
    const from = DateTime.fromISO(day, { zone: billingTimeZone() })
    if (!from.isValid) throw invalid({ effective_from: 'Enter a valid date.' })
    if (from < DateTime.now().setZone(billingTimeZone()).startOf('day')) {
      throw invalid({ effective_from: 'Choose today or a later day.' })
    }
    const known = await trx.from('dollar_rates').where('effective_from', day).forUpdate().first()
    const row = { rate, created_by: actor?.id ?? null }
    if (known) await trx.from('dollar_rates').where('effective_from', day).update(row)
    else
      await trx
        .insertQuery()
        .table('dollar_rates')
        .insert({ effective_from: day, ...row })
    await audit(
      {
        actor,
        ip,
        action: 'dollar_rate.store',
        subject: { type: 'dollar_rate', id: day, label: `from ${day}` },
        ...(known && { before: { rate: known.rate } }),
        after: { rate },
      },
      trx
    )
  })
}

/** Bills that are already issued keep the old settings. */
export async function changeBillingSettings(
  settings: BillingSettings,
  { actor, ip }: Requester
): Promise<void> {
  await db.transaction(async (trx) => {
    const before = await loadBillingSettings(trx)
    await saveBillingSettings(settings, trx)
    const subject = { type: 'dollar_rate' as const, id: 'settings', label: 'billing' }
    const change = { before: { ...before }, after: { ...settings } }
    await audit({ actor, ip, action: 'billing.update', subject, ...change }, trx)
  })
}
