import type { MeterKey } from '#core/modules'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { regionalSettings, type RegionalSettings } from '#core/settings/regional_settings'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import Big from 'big.js'

/** Price for usage above the included quantity, per resource and month. */
interface Price {
  billType: string
  /** Dollars per priced unit, exact decimal. */
  price: string
  /**
   * Meter units per priced unit. With `perHour`, this number is multiplied by the hours of the
   * month.
   */
  unit: string
  perHour?: boolean
  /** Priced units that are free per resource and month. */
  included: string
  /** Last month in which usage is free: `2026-10`. Empty: no month is free. */
  freeThrough: string
}

const BYTES_PER_GB = '1000000000'

/** The return type requires a price for every meter, so that no usage is free by mistake. */
function pricesByMeter({
  prices,
  freeThrough,
}: Readonly<RegionalSettings>): Record<MeterKey, Price> {
  return {
    'vault.requests': {
      billType: 'Requests',
      price: prices.request,
      unit: '1',
      included: '0',
      freeThrough: freeThrough.request ?? '',
    },
    'vault.bytes_out': {
      billType: 'Bandwidth',
      price: prices.bandwidth,
      unit: BYTES_PER_GB,
      included: '10',
      freeThrough: freeThrough.bandwidth ?? '',
    },
    'vault.byte_hours': {
      billType: 'Storage',
      price: prices.storage,
      unit: BYTES_PER_GB,
      included: '5',
      freeThrough: freeThrough.storage ?? '',
      perHour: true,
    },
    'mail.accepted': {
      billType: 'Mails',
      price: prices.mail,
      unit: '1',
      included: '0',
      freeThrough: freeThrough.mail ?? '',
    },
  }
}

export function meteredPrices() {
  const prices = Object.entries(pricesByMeter(regionalSettings()))
  return prices.map(([meter, price]) => ({ meter, ...price }))
}

const MIN_BILL_DOLLARS = '0.01'

/**
 * Returns the smallest amount that is billed: one cent, or more if one cent would round to 0 in the
 * customers' currency. Smaller amounts wait for the next bill.
 */
export async function loadMinBillDollars(trx?: TransactionClientContract): Promise<string> {
  return minBillDollars(await loadDollarRate(trx))
}

/** @param rate price of a dollar in the customers' currency; `0` if no rate is set */
export function minBillDollars(rate: string): string {
  if (new Big(rate).lte(0)) return MIN_BILL_DOLLARS
  const half = new Big('0.5').div(new Big(10).pow(regionalSettings().digits))
  const least = half.div(rate).round(6, Big.roundUp)
  return least.gt(MIN_BILL_DOLLARS) ? least.toFixed() : MIN_BILL_DOLLARS
}
