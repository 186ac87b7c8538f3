import {
  formatDay,
  type DocumentLanguage,
  formatDollars,
  formatMoment,
  formatNumber,
  formatTaka,
} from '#billing/documents/localized_format'
import type { PdfContent } from '#billing/documents/pdf_renderer'
import { type DocumentLabels, documentLabels } from '#billing/documents/document_labels'
import type Bill from '#billing/models/bill'
import type BillCharge from '#billing/models/bill_charge'
import type BillPayment from '#billing/models/bill_payment'
import { billFeePercent, payableInTaka, billDollarRate } from '#billing/payable_amounts'
import { sumAmounts, dollarsToTaka } from '#core/money'
import Big from 'big.js'

export interface CreditNote {
  number: string
  amount: string
  note: string | null
  at: Date
}

interface BillDocumentInput {
  bill: Bill
  language: DocumentLanguage
  /** Today's dollar rate. */
  today: string
}

export function invoicePdfContent(printing: BillDocumentInput, charges: BillCharge[]): PdfContent {
  const { bill, language, today } = printing
  const labels = documentLabels(language, billFeePercent(bill))
  const rate = billDollarRate(sumOf(bill), today)
  const money = (dollars: string) => formatTaka(dollarsToTaka(dollars, rate), language)
  const isOpen = new Big(bill.due).gt(0)
  const taken = [
    ['paid', bill.paid],
    ['credited', bill.credited],
    ['written_off', bill.writtenOff],
  ] as const
  return {
    ...documentHead(printing, labels.invoice, bill.label),
    details: [
      [labels.number, bill.label],
      [labels.day, formatDay(bill.billingDate.toISODate()!, language)],
      [labels.issued, formatMoment(bill.createdAt.toJSDate(), language)],
      ...(bill.dueDate
        ? ([[labels.due, formatDay(bill.dueDate.toISODate()!, language)]] as Pair[])
        : []),
      [labels.account, bill.accountId === null ? '' : numberOf(bill.accountId, language)],
      [labels.status, statusOf(bill, labels)],
      rateOf(bill, rate, labels, language),
    ],
    columns: [
      { label: labels.service },
      { label: labels.kind },
      { label: labels.period },
      { label: labels.dollars, right: true },
      { label: labels.taka, right: true },
    ],
    rows: charges.map(({ name, billType, billingPeriod, cost }) => [
      name,
      billType,
      periodOf(billingPeriod, labels),
      formatDollars(cost, language),
      money(cost),
    ]),
    totals: [
      [labels.total, `${formatDollars(bill.amount, language)}   ${money(bill.amount)}`],
      ...vatOf(bill, dollarsToTaka(bill.amount, rate), language),
      ...taken
        .filter(([, amount]) => new Big(amount).gt(0))
        .map(([word, amount]): Pair => [labels[word], `− ${money(amount)}`]),
      [labels.left, money(bill.due)],
      ...(isOpen
        ? ([[labels.payable, formatTaka(payableInTaka(sumOf(bill), rate), language)]] as Pair[])
        : []),
    ],
  }
}

export function receiptPdfContent(
  printing: BillDocumentInput,
  approved: BillPayment[]
): PdfContent {
  const { bill, language } = printing
  const labels = documentLabels(language, billFeePercent(bill))
  return {
    ...documentHead(printing, labels.receipt, bill.label),
    details: [
      [labels.bill, bill.label],
      [labels.day, formatDay(bill.billingDate.toISODate()!, language)],
      [labels.total, formatDollars(bill.amount, language)],
      [labels.status, statusOf(bill, labels)],
    ],
    columns: [
      { label: labels.transaction },
      { label: labels.sender },
      { label: labels.received },
      { label: labels.rate, right: true },
      { label: labels.pays, right: true },
      { label: labels.sent, right: true },
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
      [labels.paid, formatDollars(bill.paid, language)],
      [labels.left, formatDollars(bill.due, language)],
      [labels.sent_all, formatTaka(sumAmounts(approved.map((one) => one.taka)), language)],
    ],
  }
}

export function creditNotePdfContent(printing: BillDocumentInput, credit: CreditNote): PdfContent {
  const { bill, language, today } = printing
  const labels = documentLabels(language, billFeePercent(bill))
  const rate = billDollarRate(sumOf(bill), today)
  const amount = dollarsToTaka(credit.amount, rate)
  return {
    ...documentHead(printing, labels.credit_note, credit.number),
    details: [
      [labels.number, credit.number],
      [labels.issued, formatMoment(credit.at, language)],
      [labels.original, bill.label],
      [labels.day, formatDay(bill.billingDate.toISODate()!, language)],
      [labels.reason, credit.note ?? ''],
      rateOf(bill, rate, labels, language),
    ],
    columns: [],
    rows: [],
    totals: [
      ...vatOf(bill, amount, language),
      [labels.dollars, formatDollars(credit.amount, language)],
      [labels.credit, formatTaka(amount, language)],
    ],
  }
}

type Pair = [label: string, value: string]

function rateOf(
  { dollarRate, rateDay }: Bill,
  rate: string,
  labels: DocumentLabels,
  language: DocumentLanguage
): Pair {
  const number = formatNumber(rate, language, 2)
  const day = rateDay && ` (${formatDay(rateDay.toISODate()!, language)})`
  return [dollarRate ? labels.rate : labels.rate_today, `${number}${day ?? ''}`]
}

/** Seller and buyer are those stored when the bill was issued. */
function documentHead({ bill, language }: BillDocumentInput, title: string, number: string) {
  const labels = documentLabels(language, billFeePercent(bill))
  const { seller, buyer } = bill.issued
  const bin = seller.bin && `${labels.bin}: ${digits(seller.bin, language)}`
  return {
    language,
    title: `${title} ${number}`,
    parties: [
      { label: labels.seller, name: seller.name, lines: [seller.address, bin].filter(Boolean) },
      { label: labels.buyer, name: buyer.name, lines: [buyer.email] },
    ],
  }
}

/** Returns the VAT contained in a total, at the percentage stored in the bill. Empty without VAT. */
function vatOf(bill: Bill, total: string, language: DocumentLanguage): Pair[] {
  const { seller } = bill.issued
  if (!seller.vat || new Big(seller.vat).eq(0)) return []
  const part = new Big(total).times(seller.vat).div(new Big(seller.vat).plus(100))
  const label = `${documentLabels(language, billFeePercent(bill)).vat}, ${formatNumber(seller.vat, language)}%`
  return [[label, formatTaka(part.toFixed(), language)]]
}

function statusOf({ status, due }: Bill, labels: DocumentLabels): string {
  if (status === 'deleted') return labels.withdrawn
  return new Big(due).gt(0) ? labels.open : labels.paid_whole
}

function periodOf(period: string, labels: DocumentLabels): string {
  return period === 'month' || period === 'year' ? labels[period] : period
}

const numberOf = (id: number, language: DocumentLanguage) => digits(String(id), language)

function digits(text: string, language: DocumentLanguage): string {
  if (language === 'en') return text
  return text.replace(/\d/g, (digit) => String.fromCodePoint(0x09e6 + Number(digit)))
}

/** Names each field, because `{ ...bill }` would not contain the model's getters. */
function sumOf({ currency, due, amount, dollarRate, issued }: Bill) {
  return { currency, due, amount, dollarRate, issued }
}
