import { findTransactionId, toPlainText } from '#billing/pasted_text'
import {
  directionMeaning,
  statusMeaning,
  type TermAnswers,
  type TermMeaning,
} from '#billing/statements/column_terms'
import {
  isPaymentCurrency,
  type DecimalSeparatorsOfFile,
  readAmount,
} from '#billing/statements/statement_amount'
import type { StatementColumnIndexes, TermColumn } from '#billing/transformers/statement_page_props'
import { storableText } from '#core/storable_text'
import { regionalSettings } from '#core/settings/regional_settings'

export interface StatementLine {
  trxId: string
  /** Taka, two decimals. */
  amount: string
  account: string | null
  /** LIKE pattern for the payer's account number. `null`: no readable number. `%`: the file has no such column. */
  accountLike: string | null
  at: string | null
}

export interface FailedTransfer {
  trxId: string
  outcome: 'failed' | 'pending' | 'reversed'
  /** The status as the operator wrote it. */
  status: string
}

export type ParsedStatementRow =
  | { line: StatementLine }
  | { passed: 'outgoing' }
  | { passed: 'failed'; failed: FailedTransfer | null }
  | { unknown: UnknownTerm }
  | { wrong: string }

export interface UnknownTerm {
  column: TermColumn
  /** Text of the cell; may be empty. */
  term: string
}

interface RowContext {
  separators: DecimalSeparatorsOfFile
  answers?: TermAnswers
}

/** Banks write these texts if the payer gave no reference. */
const PLACEHOLDER_ID_PATTERN = /^(not-?provided|not-?available|nonref|none|null|unknown|[0-]+)$/i

export const MAX_TERM_LENGTH = 100
const MOBILE_NUMBER_DIGITS = 11
/** A long number that a spreadsheet shortened: `8.80171E+12`. */
const SHORTENED_NUMBER_PATTERN = /^\d([.,]\d+)?E\+\d+$/i

export function parseStatementRow(
  cells: string[],
  columns: StatementColumnIndexes,
  { separators, answers = new Map() }: RowContext
): ParsedStatementRow {
  const cell = (field: keyof StatementColumnIndexes) =>
    toPlainText(cells[columns[field] ?? -1] ?? '')
  const meaning = (column: TermColumn, meaningOf: typeof statusMeaning) =>
    columns[column] < 0 ? 'received' : meaningOf(cell(column), answers)
  const direction = meaning('direction', directionMeaning)
  if (direction === 'outgoing') return { passed: 'outgoing' }
  const status = cell('status')
  const outcome = meaning('status', statusMeaning)
  if (isFailed(outcome)) {
    const trxId = findTransactionId(withoutSpaces(cell('trx_id')))
    return {
      passed: 'failed',
      failed: trxId ? { trxId, outcome, status: shortenedCell(status) } : null,
    }
  }
  // The amount is in the other column, for outgoing money. Some banks then write a dash here.
  if (/^[-–—]?$/.test(cell('amount'))) return { passed: 'outgoing' }
  const amount = readAmount(cell('amount'), separators)
  if (amount === 'ambiguous') return { wrong: ambiguousAmountMessage(cell('amount')) }
  if (amount?.lte(0)) return { passed: 'outgoing' }
  if (!amount) return { wrong: `“${shortenedCell(cell('amount'))}” is not an amount.` }
  if (cell('currency') && !isPaymentCurrency(cell('currency'))) {
    const { currency } = regionalSettings()
    return { wrong: `The transfer is in ${shortenedCell(cell('currency'))}, not in ${currency}.` }
  }
  const written = withoutSpaces(cell('trx_id'))
  if (SHORTENED_NUMBER_PATTERN.test(written)) {
    return { wrong: `A spreadsheet shortened the transaction ID to “${shortenedCell(written)}”.` }
  }
  const trxId = findTransactionId(written)
  if (!trxId || PLACEHOLDER_ID_PATTERN.test(trxId))
    return { wrong: `“${shortenedCell(written)}” is not a transaction ID.` }
  // Checked last: a row rejected for another reason needs no answer about its terms.
  for (const [column, known] of [
    ['status', outcome],
    ['direction', direction],
  ] as const) {
    if (known === 'unknown') return unknownTerm(column, cell(column))
  }
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

const isFailed = (meaning: TermMeaning): meaning is FailedTransfer['outcome'] =>
  meaning === 'failed' || meaning === 'pending' || meaning === 'reversed'

/**
 * Rejects a long term instead of truncating it, because a truncated term would also match others
 * with the same beginning.
 */
function unknownTerm(column: TermColumn, cell: string): ParsedStatementRow {
  if (cell.length <= MAX_TERM_LENGTH) return { unknown: { column, term: storableText(cell) } }
  const name = column === 'status' ? 'a status' : 'a word for debit or credit'
  return { wrong: `“${shortenedCell(cell)}…” is too long for ${name}. Choose another column.` }
}

/**
 * Returns a LIKE pattern for an account number, also for a masked one: `017****5678`, or only the
 * last three digits (Rocket). Returns `null` if fewer than three digits are known.
 */
export function maskedAccountPattern(account: string): string | null {
  if (SHORTENED_NUMBER_PATTERN.test(account)) return null
  const seen = account.replace(/[^\dx*•#.]/gi, '').replace(/[x*•#.]+/gi, '%')
  const digits = seen.replace(/^88(?=01)/, '')
  const known = digits.replaceAll('%', '').length
  if (known < 3) return null
  return digits.includes('%') || known >= MOBILE_NUMBER_DIGITS ? digits : `%${digits}`
}

/** Returns whether a number fits a pattern of `maskedAccountPattern`, as in the view `statement_claims`. */
export function fitsAccountPattern(account: string, like: string): boolean {
  const digits = account.replace(/\D/g, '').replace(/^88(?=01)/, '')
  return new RegExp(`^${like.replaceAll('%', '.*')}$`).test(digits)
}

/** Removes outer spaces, and the characters by which spreadsheets mark text: `="8N7A"`, `'8N7A`. */
function withoutSpaces(text: string): string {
  return text.replace(/^="?|^'|"$/g, '').trim()
}

function ambiguousAmountMessage(text: string): string {
  return `“${shortenedCell(text)}” is ambiguous: the file does not show its decimal separator. Write all amounts with two decimals, such as 1500.00.`
}

const shortenedCell = (text: string) => storableText(text, 40)
