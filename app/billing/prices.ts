/** What is paid by use (product, "Money"): of each thing and month, beyond what is included. */
export interface Meter {
  /** As usage events name it. */
  meter: string
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

const GB = '1000000000'

export const meters: Meter[] = [
  { meter: 'vault.requests', billType: 'Requests', price: '0.0001', unit: '1', included: '0' },
  { meter: 'vault.bytes_out', billType: 'Bandwidth', price: '0.18', unit: GB, included: '10' },
  {
    ...{ meter: 'vault.byte_hours', billType: 'Storage', price: '0.15', unit: GB, included: '5' },
    perHour: true,
  },
  { meter: 'mail.sent', billType: 'Mails', price: '0.0004', unit: '1', included: '0' },
]

/** Less than this waits for the next bill: it could not be sent by mobile money. Dollars. */
export const LEAST_BILL = '0.01'
