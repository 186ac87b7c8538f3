import { PARTNER_CURRENCY } from '#billing/bill_families'
import { toPlainText, withoutThousandsSeparators } from '#billing/pasted_text'
import { regionalSettings } from '#core/settings/regional_settings'
import Big from 'big.js'

export type DecimalSeparator = '.' | ','

/**
 * Decimal separators that amounts of the file prove. If both are proven, the amounts contradict
 * each other.
 */
export type DecimalSeparatorsOfFile = ReadonlySet<DecimalSeparator>

const TAKA_NAMES = ['tk.', 'tk', 'taka', 'টাকা']
/** `1,500` and `1.500` mean 1500, or 1.5 written with three decimals. */
const AMBIGUOUS_FIGURES_PATTERN = /^[1-9]\d{0,2}([.,])\d{3}$/
/** Spaces and apostrophes between thousands: `1 500,50`, `1'500.50`. */
const THOUSANDS_GAP_PATTERN = /(?<=(?<!\d)\d{1,3}(?:[ '’]\d{3})*)[ '’](?=\d{3}(?!\d))/g

/** Banks may use another symbol than the configured one. */
function currencyNames(): string[] {
  const { currency, symbol } = regionalSettings()
  const display = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
  const parts = new Intl.NumberFormat('en', display).formatToParts(0)
  const usual = parts.filter(({ type }) => type === 'currency').map(({ value }) => value)
  return [currency, symbol, ...usual, ...(currency === PARTNER_CURRENCY ? TAKA_NAMES : [])]
}

/** @param name code or symbol: `EUR` or `€` */
export function isPaymentCurrency(name: string): boolean {
  const plain = name.toLowerCase()
  return currencyNames().some((one) => one.toLowerCase() === plain)
}

let builtFor: unknown
let patterns: Record<DecimalSeparator, RegExp>

function amountPattern(separator: DecimalSeparator): RegExp {
  if (builtFor !== regionalSettings()) {
    builtFor = regionalSettings()
    patterns = {
      '.': buildAmountPattern(String.raw`\d[\d,]*(?:\.\d+)?`),
      ',': buildAmountPattern(String.raw`\d[\d.]*(?:,\d+)?`),
    }
  }
  return patterns[separator]
}

function buildAmountPattern(figures: string): RegExp {
  const names = currencyNames().map((name) => name.replace(/[.$]/g, String.raw`\$&`))
  const unit = `(?:${names.join('|')})?`
  return new RegExp(
    String.raw`^(\()?([-−+]?)\s*${unit}\s*([-−+]?)(${figures})(?:\/[-=])?\s*${unit}\s*([cd]r\.?|[-−+])?\)?$`,
    'iu'
  )
}

/**
 * Parses an amount with a sign: `BDT 1,22,500.00`, `1500/-`, `(500.00)`. Returns `null` if the text
 * is no amount, or needs more than two decimals.
 * @param separator default: a point, with which `1.500` is ambiguous and gives `null`
 */
export function parseTaka(text: string, separator?: DecimalSeparator): Big | null {
  const joined = text.replace(THOUSANDS_GAP_PATTERN, '')
  const [, bracket, before, inside, figures = '', after = ''] =
    amountPattern(separator ?? '.').exec(joined) ?? []
  if (!separator && AMBIGUOUS_FIGURES_PATTERN.exec(figures)?.[1] === '.') return null
  const plain = normalizeSeparators(figures, separator ?? '.')
  if (!/^\d{1,12}(\.\d+)?$/.test(plain)) return null
  const amount = new Big(plain)
  if (!amount.eq(amount.round(2)) || amount.gte('1e12')) return null
  const isNegative = bracket || /[-−]/.test(`${before}${inside}`) || /^(dr|[-−])/i.test(after)
  return isNegative ? amount.neg() : amount
}

/**
 * Returns the decimal separator that one amount proves: a point for `1500.5` and `1,22,500`, a comma for
 * `1500,50` and `1.500,00`. Returns `null` for `1500`, `1,500`, `1.500`.
 */
export function provenDecimalSeparator(text: string): DecimalSeparator | null {
  const figures = figuresOf(text)
  const separators = figures.replace(/\d/g, '')
  if (separators === '' || AMBIGUOUS_FIGURES_PATTERN.test(figures)) return null
  const last = separators.at(-1) as DecimalSeparator
  const decimals = figures.length - figures.lastIndexOf(last) - 1
  if (separators.slice(0, -1).includes(last)) {
    if (decimals !== 3) return null
    return last === '.' ? ',' : '.'
  }
  return decimals === 0 || (decimals > 3 && last === ',') ? null : last
}

export async function collectDecimalSeparators(
  amounts: AsyncIterable<string>
): Promise<DecimalSeparatorsOfFile> {
  const separators = new Set<DecimalSeparator>()
  for await (const amount of amounts) {
    const separator = provenDecimalSeparator(toPlainText(amount))
    if (separator) separators.add(separator)
  }
  return separators
}

/**
 * Parses an amount of a file. Money has no three decimals, so `1,500` is 1500.
 * @returns `ambiguous` for `1,500` if other amounts prove decimal commas, and for `1.500` unless they
 *   prove only decimal commas; `null` if the text is no amount
 */
export function readAmount(
  text: string,
  separators: DecimalSeparatorsOfFile
): Big | 'ambiguous' | null {
  const [, thousands] = AMBIGUOUS_FIGURES_PATTERN.exec(figuresOf(text)) ?? []
  if (!thousands) return parseTaka(text, provenDecimalSeparator(text) ?? '.')
  const separator = thousands === ',' ? '.' : ','
  const isDecided = separators.has(separator) || (separator === '.' && separators.size === 0)
  if (separators.has(thousands as DecimalSeparator) || !isDecided) return 'ambiguous'
  return parseTaka(text, separator)
}

const figuresOf = (text: string) =>
  /\d[\d.,]*\d|\d/.exec(text.replace(THOUSANDS_GAP_PATTERN, ''))?.[0] ?? ''

/** Removes thousands separators. Returns the figures with a decimal point. */
function normalizeSeparators(figures: string, separator: DecimalSeparator): string {
  if (separator === '.') return withoutThousandsSeparators(figures)
  const isGrouped = /^\d{1,3}(\.\d{3})+(,\d+)?$/.test(figures)
  if (figures.includes('.') && !isGrouped) return figures
  return figures.replaceAll('.', '').replace(',', '.')
}
