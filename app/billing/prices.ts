import type { MeterKey } from '#core/modules'
import { regionalSettings, type RegionalSettings } from '#core/settings/regional_settings'

/**
 * The price of a meter (product, "Money"). It applies to each resource and month, above the included
 * quantity.
 */
interface Price {
  /** Name of the service on bills. */
  billType: string
  /** Dollars per priced unit, exact decimal. */
  price: string
  /** Meter units per priced unit. With `perHour`, this is multiplied by the hours of the month. */
  unit: string
  perHour?: boolean
  /** Priced units included for each resource and month. */
  included: string
}

const BYTES_PER_GB = '1000000000'

/** Returns the prices of all meters. The type requires one for each, so that no usage is free by mistake. */
function pricesByMeter({ prices }: Readonly<RegionalSettings>): Record<MeterKey, Price> {
  return {
    'vault.requests': { billType: 'Requests', price: prices.request, unit: '1', included: '0' },
    'vault.bytes_out': {
      billType: 'Bandwidth',
      price: prices.bandwidth,
      unit: BYTES_PER_GB,
      included: '10',
    },
    'vault.byte_hours': {
      billType: 'Storage',
      price: prices.storage,
      unit: BYTES_PER_GB,
      included: '5',
      perHour: true,
    },
    'mail.accepted': { billType: 'Mails', price: prices.mail, unit: '1', included: '0' },
  }
}

/** Returns today's prices with the name of their meter, as in usage events. */
export function meteredPrices() {
  const prices = Object.entries(pricesByMeter(regionalSettings()))
  return prices.map(([meter, price]) => ({ meter, ...price }))
}

/** The smallest bill in dollars: less cannot be sent by mobile money and waits for the next bill. */
export const MIN_BILL_DOLLARS = '0.01'
