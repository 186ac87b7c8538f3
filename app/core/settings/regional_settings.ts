/** Prices per unit in US dollars: exact decimals, at most six places. */
export interface UsagePrices {
  /** One GB stored in a vault (bucket) for a month, above the included storage. */
  storage: string
  /** One GB sent from a vault, above the included bandwidth. */
  bandwidth: string
  request: string
  /** One email that the mail service accepted for sending. */
  mail: string
}

/** Settings for currency and time, stored under the key `regional` in `settings` (decision 0069). */
export interface RegionalSettings {
  /** ISO 4217 code of the currency that customers pay in. */
  currency: string
  symbol: string
  /** Decimal places of amounts: 0 to 2. */
  digits: number
  /** IANA time zone of screens, emails and documents. */
  timeZone: string
  /** IANA time zone of billing days and months. Fixed after the first charge. */
  billingTimeZone: string
  /** Fee of new bills that are paid by mobile money: percent, as an exact decimal. */
  feePercent: string
  daysToPay: number
  prices: UsagePrices
  /**
   * By price, the last month (`2026-10`) that was already charged when the price was raised from 0. Usage until then
   * stays free.
   */
  freeThrough: Partial<Record<keyof UsagePrices, string>>
}

/** The defaults from the specification (docs/product.md, "Money"). */
export const DEFAULT_REGIONAL_SETTINGS: Readonly<RegionalSettings> = {
  currency: 'BDT',
  symbol: '৳',
  digits: 2,
  timeZone: 'Asia/Dhaka',
  billingTimeZone: 'Asia/Dhaka',
  feePercent: '1.75',
  daysToPay: 7,
  prices: { storage: '0.15', bandwidth: '0.18', request: '0.0001', mail: '0.0004' },
  freeThrough: {},
}

const currencyNames: Record<string, string> = { BDT: 'taka' }

let current: Readonly<RegionalSettings> = DEFAULT_REGIONAL_SETTINGS

export function regionalSettings(): Readonly<RegionalSettings> {
  return current
}

export function setRegionalSettings(settings: Readonly<RegionalSettings>): void {
  current = settings
}

/** Returns the currency's name for sentences: `taka`, or a code such as `EUR`. */
export function currencyName(): string {
  return currencyNames[current.currency] ?? current.currency
}

export const displayTimeZone = () => current.timeZone

export const billingTimeZone = () => current.billingTimeZone
