import {
  formatDay,
  type DocumentLanguage,
  formatDollars,
  formatMoment,
  formatNumber,
  formatTaka,
} from '#billing/documents/number_format'
import type { PdfModel } from '#billing/documents/pdf_printer'
import { type DocumentLabels, documentLabels } from '#billing/documents/document_labels'
import type Bill from '#billing/models/bill'
import type BillCharge from '#billing/models/bill_charge'
import type BillPayment from '#billing/models/bill_payment'
import { payableInTaka, billRate } from '#billing/payable_amounts'
import { sum, taka } from '#core/money'
import Big from 'big.js'

/** A credit note as the books have it. */
export interface CreditNote {
  number: string
  amount: string
  note: string | null
  at: Date
}

interface BillDocumentInput {
  bill: Bill
  language: DocumentLanguage
  /** The dollar rate of today. */
  today: string
}

/** What is to be paid, line by line, as it was issued. */
export function invoiceModel(printing: BillDocumentInput, charges: BillCharge[]): PdfModel {
  const { bill, language, today } = printing
  const words = documentLabels[language]
  const rate = billRate(sumOf(bill), today)
  const money = (dollars: string) => formatTaka(taka(dollars, rate), language)
  const isOpen = new Big(bill.due).gt(0)
  const taken = [
    ['paid', bill.paid],
    ['credited', bill.credited],
    ['written_off', bill.writtenOff],
  ] as const
  return {
    ...documentHead(printing, words.invoice, bill.label),
    facts: [
      [words.number, bill.label],
      [words.day, formatDay(bill.billingDate.toISODate()!, language)],
      [words.issued, formatMoment(bill.createdAt.toJSDate(), language)],
      ...(bill.dueDate
        ? ([[words.due, formatDay(bill.dueDate.toISODate()!, language)]] as Pair[])
        : []),
      [words.account, bill.accountId === null ? '' : numberOf(bill.accountId, language)],
      [words.status, statusOf(bill, words)],
      [bill.dollarRate ? words.rate : words.rate_today, formatNumber(rate, language, 2)],
    ],
    columns: [
      { label: words.service },
      { label: words.kind },
      { label: words.period },
      { label: words.dollars, right: true },
      { label: words.taka, right: true },
    ],
    rows: charges.map(({ name, billType, billingPeriod, cost }) => [
      name,
      billType,
      periodOf(billingPeriod, words),
      formatDollars(cost, language),
      money(cost),
    ]),
    totals: [
      [words.total, `${formatDollars(bill.amount, language)}   ${money(bill.amount)}`],
      ...vatOf(bill, taka(bill.amount, rate), language),
      ...taken
        .filter(([, amount]) => new Big(amount).gt(0))
        .map(([word, amount]): Pair => [words[word], `− ${money(amount)}`]),
      [words.left, money(bill.due)],
      ...(isOpen
        ? ([[words.payable, formatTaka(payableInTaka(sumOf(bill), rate), language)]] as Pair[])
        : []),
    ],
  }
}

/** What was paid and approved, each transfer at the rate of its day. */
export function receiptModel(printing: BillDocumentInput, approved: BillPayment[]): PdfModel {
  const { bill, language } = printing
  const words = documentLabels[language]
  return {
    ...documentHead(printing, words.receipt, bill.label),
    facts: [
      [words.bill, bill.label],
      [words.day, formatDay(bill.billingDate.toISODate()!, language)],
      [words.total, formatDollars(bill.amount, language)],
      [words.status, statusOf(bill, words)],
    ],
    columns: [
      { label: words.transaction },
      { label: words.sender },
      { label: words.received },
      { label: words.rate, right: true },
      { label: words.pays, right: true },
      { label: words.sent, right: true },
    ],
    rows: approved.map((payment) => [
      payment.trxId,
      payment.accountNumber,
      payment.decidedAt ? formatMoment(payment.decidedAt.toJSDate(), language) : '',
      formatNumber(payment.dollarRate, language, 2),
      formatDollars(payment.amount, language),
      formatTaka(payment.taka, language),
    ]),
    totals: [
      [words.paid, formatDollars(bill.paid, language)],
      [words.left, formatDollars(bill.due, language)],
      [words.sent_all, formatTaka(sum(approved.map((one) => one.taka)), language)],
    ],
  }
}

/** What is taken off an invoice, which it names. */
export function creditNoteModel(printing: BillDocumentInput, credit: CreditNote): PdfModel {
  const { bill, language, today } = printing
  const words = documentLabels[language]
  const rate = billRate(sumOf(bill), today)
  const amount = taka(credit.amount, rate)
  return {
    ...documentHead(printing, words.credit_note, credit.number),
    facts: [
      [words.number, credit.number],
      [words.issued, formatMoment(credit.at, language)],
      [words.original, bill.label],
      [words.day, formatDay(bill.billingDate.toISODate()!, language)],
      [words.reason, credit.note ?? ''],
      [bill.dollarRate ? words.rate : words.rate_today, formatNumber(rate, language, 2)],
    ],
    columns: [],
    rows: [],
    totals: [
      ...vatOf(bill, amount, language),
      [words.dollars, formatDollars(credit.amount, language)],
      [words.credit, formatTaka(amount, language)],
    ],
  }
}

type Pair = [label: string, value: string]

/** Title and parties, as they were on the day of the bill. */
function documentHead(
  { bill: { issued }, language }: BillDocumentInput,
  title: string,
  number: string
) {
  const words = documentLabels[language]
  const { seller, buyer } = issued
  const bin = seller.bin && `${words.bin}: ${digits(seller.bin, language)}`
  return {
    language,
    title: `${title} ${number}`,
    parties: [
      { label: words.seller, name: seller.name, lines: [seller.address, bin].filter(Boolean) },
      { label: words.buyer, name: buyer.name, lines: [buyer.email] },
    ],
  }
}

/** The tax that stands in a sum already, of the percentage that was set when the bill was issued. */
function vatOf({ issued: { seller } }: Bill, total: string, language: DocumentLanguage): Pair[] {
  if (!seller.vat || new Big(seller.vat).eq(0)) return []
  const part = new Big(total).times(seller.vat).div(new Big(seller.vat).plus(100))
  const label = `${documentLabels[language].vat}, ${formatNumber(seller.vat, language)}%`
  return [[label, formatTaka(part.toFixed(2, Big.roundHalfUp), language)]]
}

function statusOf({ status, due }: Bill, words: DocumentLabels): string {
  if (status === 'deleted') return words.withdrawn
  return new Big(due).gt(0) ? words.open : words.paid_whole
}

function periodOf(period: string, words: DocumentLabels): string {
  return period === 'month' || period === 'year' ? words[period] : period
}

/** Figures without groups: numbers that are names. */
const numberOf = (id: number, language: DocumentLanguage) => digits(String(id), language)

function digits(text: string, language: DocumentLanguage): string {
  if (language === 'en') return text
  return text.replace(/\d/g, (digit) => String.fromCodePoint(0x09e6 + Number(digit)))
}

/** Getters do not spread. */
function sumOf({ currency, due, amount, dollarRate }: Bill) {
  return { currency, due, amount, dollarRate }
}
