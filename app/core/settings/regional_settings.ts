/** Prices of usage in US dollars; exact decimals with at most six places. */
export interface UsagePrices {
  /** Price of a GB in a vault for a month, above the included storage. */
  storage: string
  /** Price of a GB that a vault sends, above the included bandwidth. */
  bandwidth: string
  /** Price of a request to a vault. */
  request: string
  /** Price of an accepted email. */
  mail: string
}

/** Currency, time zone, payment terms and prices of usage, stored under the key `regional` in `settings` (decision 0069). */
export interface RegionalSettings {
  /** ISO 4217 code of the currency in which customers see prices and pay. */
  currency: string
  /** Printed with each amount. */
  symbol: string
  /** Decimal places of amounts: 0 to 2. */
  digits: number
  /** IANA time zone in which screens, emails and documents show times. */
  timeZone: string
  /** IANA time zone of billing days and months. It stays as it is once something was charged. */
  billingTimeZone: string
  /** Added to payments by mobile money, in percent; exact decimal. New bills get it. */
  feePercent: string
  /** Days from the billing date to the due date of new bills. */
  daysToPay: number
  prices: UsagePrices
  /** The last month (`2026-10`) that was charged at a price of 0. Its usage stays free after the price is raised. */
  freeThrough: Partial<Record<keyof UsagePrices, string>>
}

/** The values of the specification (product, "Money"). */
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

/** Names of currencies in sentences ("in taka"). Other currencies have their code. */
const currencyNames: Record<string, string> = { BDT: 'taka' }

let current: Readonly<RegionalSettings> = DEFAULT_REGIONAL_SETTINGS

/** Returns the settings that this process loaded last (`load_regional_settings.ts`). */
export function regionalSettings(): Readonly<RegionalSettings> {
  return current
}

export function setRegionalSettings(settings: Readonly<RegionalSettings>): void {
  current = settings
}

/** Returns the currency as in a sentence: `taka`, `EUR`. */
export function currencyName(): string {
  return currencyNames[current.currency] ?? current.currency
}

/** The time zone in which people see times. Pages show times in it too (`packages/ui/region`). */
export const displayTimeZone = () => current.timeZone

/** The time zone of billing days and months. */
export const billingTimeZone = () => current.billingTimeZone
