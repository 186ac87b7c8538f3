import { changeBillingSettings, saveDollarRate } from '#billing/actions/change_rate_and_settings'
import { loadBillingSettings } from '#billing/settings'
import type { RateRow } from '#billing/transformers/page_props'
import { dollarRateValidator, billingSettingsValidator } from '#billing/validators/bills'
import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { BUSINESS_TIME_ZONE } from '#core/business_time_zone'
import { renderPage } from '#core/render_page'
import Big from 'big.js'
import db from '@adonisjs/lucid/services/db'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

/** The dollar rates, the account that receives payments, and the seller. */
export default class SettingsController {
  async index(ctx: HttpContext) {
    const { merchantAccount, seller } = await loadBillingSettings()
    return renderPage(ctx, 'admin/billing/settings', {
      rates: await rates(),
      today: DateTime.now().setZone(BUSINESS_TIME_ZONE).toISODate()!,
      settings: {
        merchant_account: merchantAccount,
        seller_name: seller.name,
        seller_address: seller.address,
        seller_bin: seller.bin,
        seller_vat: seller.vat ?? '',
      },
    })
  }

  /** Body: `{ rate, effective_from }`. */
  async store(ctx: HttpContext) {
    const { rate, effective_from: day } = await dollarRateValidator.validate(ctx.request.body())
    await saveDollarRate(rate, day, requesterOf(ctx))
    respond(ctx, { message: `From ${day}, one dollar is ৳${rate}.`, status: 201 })
  }

  /** Body: `{ merchant_account, seller_name, seller_address, seller_bin, seller_vat }`. */
  async update(ctx: HttpContext) {
    const sent = await billingSettingsValidator.validate(ctx.request.body())
    const seller = {
      name: sent.seller_name,
      address: sent.seller_address ?? '',
      bin: sent.seller_bin ?? '',
      vat: sent.seller_vat ?? '',
    }
    await changeBillingSettings(
      { merchantAccount: sent.merchant_account, seller },
      requesterOf(ctx)
    )
    respond(ctx, { message: 'Payment and bill settings saved.' })
  }
}

async function rates(): Promise<RateRow[]> {
  const rows: { day: string; rate: string; by: string | null }[] = await db
    .from('dollar_rates')
    .leftJoin('people', 'people.id', 'dollar_rates.created_by')
    .orderBy('effective_from', 'desc')
    .limit(200)
    .select(db.raw('effective_from::text as day'), 'rate', 'people.name as by')
  return rows.map(({ day, rate, by: who }) => ({
    effective_from: day,
    rate: new Big(rate).toFixed(),
    by: who,
  }))
}
