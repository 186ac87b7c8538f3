import type { MeterKey } from '#core/modules'

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

/** Prices of all meters. The type requires one for each, so that no usage is free by mistake. */
const prices: Record<MeterKey, Price> = {
  'vault.requests': { billType: 'Requests', price: '0.0001', unit: '1', included: '0' },
  'vault.bytes_out': { billType: 'Bandwidth', price: '0.18', unit: BYTES_PER_GB, included: '10' },
  'vault.byte_hours': {
    billType: 'Storage',
    price: '0.15',
    unit: BYTES_PER_GB,
    included: '5',
    perHour: true,
  },
  'mail.accepted': { billType: 'Mails', price: '0.0004', unit: '1', included: '0' },
}

/** Prices with the name of their meter, as in usage events. */
export const meteredPrices = Object.entries(prices).map(([meter, price]) => ({ meter, ...price }))

/** The smallest bill in dollars: less cannot be sent by mobile money and waits for the next bill. */
export const MIN_BILL_DOLLARS = '0.01'
