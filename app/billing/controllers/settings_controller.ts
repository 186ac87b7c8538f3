import { changeBillingSettings, saveDollarRate } from '#billing/actions/change_rate_and_settings'
import { loadBillingSettings } from '#billing/settings'
import type { BillingSettingsPage, ExchangeRateRow } from '#billing/transformers/page_props'
import {
  billingSettingsValidator,
  dollarRateValidator,
  regionalSettingsValidator,
} from '#billing/validators/bills'
import { documentSymbol } from '#billing/documents/localized_format'
import { changeRegionalSettings } from '#billing/actions/change_regional_settings'
import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { billingTimeZone, regionalSettings } from '#core/settings/regional_settings'
import { withCurrencySymbol } from '#core/money'
import { renderPage } from '#core/render_page'
import Big from 'big.js'
import db from '@adonisjs/lucid/services/db'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

export default class SettingsController {
  async index(ctx: HttpContext) {
    const { merchantAccount, seller } = await loadBillingSettings()
    return renderPage(ctx, 'admin/billing/settings', {
      rates: await listExchangeRates(),
      today: DateTime.now().setZone(billingTimeZone()).toISODate()!,
      settings: {
        merchant_account: merchantAccount,
        seller_name: seller.name,
        seller_address: seller.address,
        seller_bin: seller.bin,
        seller_vat: seller.vat ?? '',
      },
      regional: regionalView(),
    })
  }

  async store(ctx: HttpContext) {
    const { rate, effective_from: day } = await dollarRateValidator.validate(ctx.request.body())
    await saveDollarRate(rate, day, requesterOf(ctx))
    respond(ctx, {
      message: `From ${day}, one dollar is ${withCurrencySymbol(rate)}.`,
      status: 201,
    })
  }

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

  async updateRegional(ctx: HttpContext) {
    const sent = await regionalSettingsValidator.validate(ctx.request.body())
    const change = {
      currency: sent.currency,
      symbol: sent.symbol,
      digits: sent.digits,
      timeZone: sent.time_zone,
      feePercent: new Big(sent.fee_percent).toFixed(),
      daysToPay: sent.days_to_pay,
      prices: sent.prices,
    }
    await changeRegionalSettings(change, sent.rate ?? null, requesterOf(ctx))
    const printed = documentSymbol()
    const note =
      printed === change.symbol
        ? ''
        : ` Documents print ${printed}, because their font has no ${change.symbol}.`
    respond(ctx, { message: `Currency, time zone and prices saved.${note}` })
  }
}

function regionalView(): BillingSettingsPage['regional'] {
  const { currency, symbol, digits, timeZone, feePercent, daysToPay, prices } = regionalSettings()
  return {
    currency,
    symbol,
    document_symbol: documentSymbol(),
    digits,
    time_zone: timeZone,
    billing_time_zone: billingTimeZone() === timeZone ? null : billingTimeZone(),
    fee_percent: feePercent,
    days_to_pay: daysToPay,
    prices,
  }
}

async function listExchangeRates(): Promise<ExchangeRateRow[]> {
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
