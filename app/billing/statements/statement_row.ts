import { PARTNER_CURRENCY } from '#billing/bill_families'
import { findTransactionId, toPlainText, withoutThousandsSeparators } from '#billing/pasted_text'
import type { StatementColumnIndexes } from '#billing/transformers/statement_page_props'
import { regionalSettings } from '#core/settings/regional_settings'
import Big from 'big.js'

export interface StatementLine {
  trxId: string
  /** Taka, two decimals. */
  amount: string
  account: string | null
  /** LIKE pattern; `null` if the row lacks a readable number. */
  accountLike: string | null
  at: string | null
}

/** A transfer that brought no money. */
export interface FailedTransfer {
  trxId: string
  outcome: 'failed' | 'pending' | 'reversed'
  /** The operator's own word. */
  status: string
}

export type ParsedStatementRow =
  | { line: StatementLine }
  | { passed: 'outgoing' }
  | { passed: 'failed'; failed: FailedTransfer | null }
  | { wrong: string }

/** The first that fits. `Unsuccessful` contains `success`. */
const OUTCOMES: [FailedTransfer['outcome'], RegExp][] = [
  ['reversed', /revers|refund|chargeback|charge back|returned|ফেরত/i],
  ['pending', /pending|processing|in progress|initiated|on hold|awaiting|queued|অপেক্ষ|চলমান/i],
  [
    'failed',
    /fail|unsuccess|not success|cancel|declin|reject|denied|expired|timed? ?out|incomplete|void|error|ব্যর্থ|বাতিল|প্রত্যাখ্যা/i,
  ],
]

const MOBILE_NUMBER_DIGITS = 11
/** A number as spreadsheets show it when it is too long: `8.80171E+12`. */
const SHORTENED_NUMBER_PATTERN = /^\d([.,]\d+)?E\+\d+$/i

export function parseStatementRow(
  cells: string[],
  columns: StatementColumnIndexes
): ParsedStatementRow {
  const cell = (field: keyof StatementColumnIndexes) => toPlainText(cells[columns[field]] ?? '')
  if (/^(dr|debit|out|sent|ডেবিট)/i.test(cell('direction'))) return { passed: 'outgoing' }
  const status = cell('status')
  const [outcome] = OUTCOMES.find(([, word]) => word.test(status)) ?? []
  if (outcome) {
    const trxId = findTransactionId(withoutSpaces(cell('trx_id')))
    return { passed: 'failed', failed: trxId ? { trxId, outcome, status: shown(status) } : null }
  }
  const amount = parseTaka(cell('amount'))
  // Outgoing rows are empty or 0 in a column for received amounts.
  if (cell('amount') === '' || (amount && amount.lte(0))) return { passed: 'outgoing' }
  if (!amount) return { wrong: `“${shown(cell('amount'))}” is not an amount.` }
  const written = withoutSpaces(cell('trx_id'))
  if (SHORTENED_NUMBER_PATTERN.test(written)) {
    return { wrong: `A spreadsheet shortened the transaction ID to “${shown(written)}”.` }
  }
  const trxId = findTransactionId(written)
  if (!trxId) return { wrong: `“${shown(written)}” is not a transaction ID.` }
  const account = withoutSpaces(cell('account'))
  return {
    line: {
      trxId,
      amount: amount.toFixed(2),
      account: account.slice(0, 40) || null,
      accountLike: columns.account < 0 ? '%' : maskedAccountPattern(account),
      at: cells[columns.at]?.slice(0, 40) || null,
    },
  }
}

const TAKA_NAMES = ['tk.', 'tk', 'taka', 'টাকা']

let builtFor: unknown
let pattern: RegExp

/** Matches amounts in the currency. The provider's symbol may differ from that of banks. */
function amountPattern(): RegExp {
  if (builtFor === regionalSettings()) return pattern
  builtFor = regionalSettings()
  return (pattern = buildAmountPattern())
}

function buildAmountPattern(): RegExp {
  const { currency, symbol } = regionalSettings()
  const display = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
  const parts = new Intl.NumberFormat('en', display).formatToParts(0)
  const usual = parts.filter(({ type }) => type === 'currency').map(({ value }) => value)
  const names = [currency, symbol, ...usual, ...(currency === PARTNER_CURRENCY ? TAKA_NAMES : [])]
  const unit = `(?:${names.map((name) => name.replace(/[.$]/g, String.raw`\$&`)).join('|')})?`
  return new RegExp(
    String.raw`^(\()?([-−+]?)\s*${unit}\s*([-−]?)(\d[\d,]*(?:\.\d+)?)(?:\/[-=])?\s*${unit}\s*([cd]r\.?|[-−])?\)?$`,
    'iu'
  )
}

/** Parses taka with a sign: `BDT 1,22,500.00`, `BDT 1500.5 Cr`, `1500/-`, `(500.00)`. */
export function parseTaka(text: string): Big | null {
  const [, bracket, before, inside, figures = '', after = ''] = amountPattern().exec(text) ?? []
  const plain = withoutThousandsSeparators(figures)
  if (!/^\d{1,12}(\.\d+)?$/.test(plain)) return null
  const amount = new Big(plain)
  if (!amount.eq(amount.round(2)) || amount.gte('1e12')) return null
  const isNegative = bracket || /[-−]/.test(`${before}${inside}`) || /^(dr|[-−])/i.test(after)
  return isNegative ? amount.neg() : amount
}

/**
 * Returns a LIKE pattern for a number with hidden digits: `017****5678`, or only the last three
 * digits, as Rocket prints them.
 */
export function maskedAccountPattern(account: string): string | null {
  if (SHORTENED_NUMBER_PATTERN.test(account)) return null
  const seen = account.replace(/[^\dx*•#.]/gi, '').replace(/[x*•#.]+/gi, '%')
  const digits = seen.replace(/^88(?=01)/, '')
  const known = digits.replaceAll('%', '').length
  if (known < 3) return null
  return digits.includes('%') || known >= MOBILE_NUMBER_DIGITS ? digits : `%${digits}`
}

/** Removes what spreadsheets add to keep a value as text: `="8N7A"`, `'8N7A`. */
function withoutSpaces(text: string): string {
  return text.replace(/^="?|^'|"$/g, '').trim()
}

const shown = (text: string) => text.slice(0, 40)
