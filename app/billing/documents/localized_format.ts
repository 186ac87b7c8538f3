import { withCurrencySymbol } from '#core/money'
import { displayTimeZone, regionalSettings } from '#core/settings/regional_settings'
import Big from 'big.js'

export const documentLanguages = { en: 'English', bn: 'বাংলা' } as const

export type DocumentLanguage = keyof typeof documentLanguages

/** Countries with these currencies group digits by lakh: 1,23,456. */
const LAKH_CURRENCIES = ['BDT', 'INR', 'NPR', 'PKR']

/**
 * Returns the locale in which digits are grouped. `en-BD` groups by thousands, but Bangladesh
 * groups by lakh. English text for Bangladesh therefore uses India's locale.
 */
function digitsLocale(language: DocumentLanguage): string {
  if (language === 'bn') return 'bn-BD'
  return LAKH_CURRENCIES.includes(regionalSettings().currency) ? 'en-IN' : 'en-GB'
}

/** Symbols that the documents' font can print (`pdf_thread.ts`). Others would be empty boxes. */
export const PRINTABLE_SYMBOL = /^[A-Za-z.$¢£¥€₹À-ÖØ-öø-ćČ-đĹ-ľŁ-ňŘ-śŞ-šŹ-ž\p{Script=Bengali}]+$/u

export function documentSymbol(): string {
  const { symbol, currency } = regionalSettings()
  return PRINTABLE_SYMBOL.test(symbol) ? symbol : currency
}

const monthNames = { en: 'en-GB', bn: 'bn-BD' } as const

/** `Intl` formats text exactly, but converts numbers to floating point. */
const formatExact = (amount: string, maxDigits: number) =>
  new Big(amount).toFixed(maxDigits, Big.roundHalfUp) as Intl.StringNumericLiteral

/**
 * Formats an amount in the customers' currency. The symbol precedes 1,23,45,678.50, but follows
 * ১,২৩,৪৫,৬৭৮.৫০.
 */
export function formatTaka(amount: string, language: DocumentLanguage): string {
  const { digits } = regionalSettings()
  const symbol = documentSymbol()
  const places = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  const text = new Intl.NumberFormat(digitsLocale(language), places).format(
    formatExact(amount, digits)
  )
  if (language === 'en') return withCurrencySymbol(text, { symbol })
  return symbol === regionalSettings().symbol ? `${text}${symbol}` : `${text}\u00A0${symbol}`
}

/** Shows all decimals, at least two. */
export function formatDollars(amount: string, language: DocumentLanguage): string {
  const text = formatNumber(amount, language, 2)
  return text.startsWith('-') ? `-$${text.slice(1)}` : `$${text}`
}

/** @param least minimum decimals, even if they are 0; at most six are shown */
export function formatNumber(amount: string, language: DocumentLanguage, least = 0): string {
  const options = { minimumFractionDigits: least, maximumFractionDigits: 6 }
  return new Intl.NumberFormat(digitsLocale(language), options).format(formatExact(amount, 6))
}

/** Formats a day: 8 October 2026 or ৮ অক্টোবর, ২০২৬. */
export function formatDay(day: string, language: DocumentLanguage): string {
  const format = new Intl.DateTimeFormat(monthNames[language], {
    dateStyle: 'long',
    timeZone: 'UTC',
  })
  return format.format(new Date(`${day}T00:00:00Z`))
}

export function formatMoment(moment: Date, language: DocumentLanguage): string {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: displayTimeZone() }).format(moment)
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  const time = new Intl.DateTimeFormat(monthNames[language], {
    ...clock,
    timeZone: displayTimeZone(),
  })
  return `${formatDay(day, language)} ${time.format(moment)}`
}
