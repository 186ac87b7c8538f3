import type { MeterKey } from '#core/modules'

/** What one use costs (product, "Money"): of each thing and month, beyond what is included. */
interface Price {
  /** As bills name it. */
  billType: string
  /** Dollars for one, exact decimal. */
  price: string
  /** How many of the meter's units are one; `hours` of the month besides where it counts over time. */
  unit: string
  perHour?: boolean
  /** Of each thing and month, in the same ones. */
  included: string
}

const BYTES_PER_GB = '1000000000'

/** Of everything that is counted, so that nothing is used for nothing. */
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

/** What is paid by use, as usage events name it. */
export const meteredPrices = Object.entries(prices).map(([meter, price]) => ({ meter, ...price }))

/** Less than this waits for the next bill: it could not be sent by mobile money. Dollars. */
export const MIN_BILL_DOLLARS = '0.01'
