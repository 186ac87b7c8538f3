import { appUrl } from '#config/app'
import type Bill from '#billing/models/bill'
import { billFeePercent, payableInTaka, billDollarRate } from '#billing/payable_amounts'
import type { BillingSettings } from '#billing/settings'
import type { BillMailType } from '#billing/statuses'
import { defineMailKind, type MailKind } from '#core/mail/mail_kinds'
import type { MailMessage } from '#core/mail/render_mail'
import { formatRate, formatTaka, dollarsToTaka, totalTakaWithFee } from '#core/money'
import { regionalSettings } from '#core/settings/regional_settings'

const SAMPLE_BILL_NUMBER = 'B-2026-000042'
const SAMPLE_DUE_DATE = 'Oct 8, 2026'
const SAMPLE_TRANSACTION_ID = 'BK7Q2M9XPL'

const sample = (title: string, fee = regionalSettings().feePercent) => ({
  title,
  details: [
    ['Bill', SAMPLE_BILL_NUMBER],
    ['Amount', formatTaka('1225')],
    ['Dollar rate', `${formatRate('122.5')} (Oct 1, 2026)`],
    ['Total payable', totalPayableText(totalTakaWithFee('1225', '1', fee), fee)],
    ['How to pay', 'Send Money to 01800000000, then enter the transaction ID on the bill page'],
  ] satisfies MailMessage['details'],
  button: { label: 'Open the bill', href: `${appUrl}/billing/42` },
})

const kinds: Record<BillMailType, MailKind> = {
  created: defineMailKind({
    name: 'billing.created',
    label: 'New bill',
    subject: 'Your bill {bill}',
    intro: 'Your new bill {bill} is ready. It is due on {due}.',
    placeholders: { bill: SAMPLE_BILL_NUMBER, due: SAMPLE_DUE_DATE },
    get sample() {
      return sample('Your new bill is ready')
    },
  }),
  reminder: defineMailKind({
    name: 'billing.reminder',
    label: 'A bill is due soon',
    subject: 'Reminder: bill {bill} is due {due}',
    intro: 'Your bill {bill} is due on {due}.',
    placeholders: { bill: SAMPLE_BILL_NUMBER, due: SAMPLE_DUE_DATE },
    get sample() {
      return sample('Your bill is due soon')
    },
  }),
  overdue: defineMailKind({
    name: 'billing.overdue',
    label: 'A bill is overdue',
    subject: 'Bill {bill} is overdue',
    intro:
      'Your bill {bill} was due on {due}. If it is not paid within 7 days after that date, we suspend your account: your instances stop. You can still view everything and pay.',
    placeholders: { bill: SAMPLE_BILL_NUMBER, due: SAMPLE_DUE_DATE },
    get sample() {
      return sample('A bill is overdue')
    },
  }),
  payment_received: defineMailKind({
    name: 'billing.payment_received',
    label: 'A payment was reported',
    subject: 'We are checking your payment of bill {bill}',
    intro:
      'You reported a payment of bill {bill} (transaction {transaction}). We are checking it and will email you the result.',
    placeholders: { bill: SAMPLE_BILL_NUMBER, transaction: SAMPLE_TRANSACTION_ID },
    get sample() {
      return sample('We are checking your payment')
    },
  }),
  payment_approved: defineMailKind({
    name: 'billing.payment_approved',
    label: 'A payment was approved',
    subject: 'Your payment of bill {bill} is approved',
    intro: 'Thank you: {result}.',
    placeholders: { bill: SAMPLE_BILL_NUMBER, result: `bill ${SAMPLE_BILL_NUMBER} is paid` },
    get sample() {
      return sample('Your payment is approved')
    },
  }),
  payment_rejected: defineMailKind({
    name: 'billing.payment_rejected',
    label: 'A payment was rejected',
    subject: 'Your payment of bill {bill} could not be found',
    intro:
      'We could not find your payment of bill {bill} (transaction {transaction}), so the bill is not paid. Check the transaction ID and report the payment again.',
    placeholders: { bill: SAMPLE_BILL_NUMBER, transaction: SAMPLE_TRANSACTION_ID },
    get sample() {
      return sample('Your payment could not be found')
    },
  }),
}

/** @param today today's dollar rate */
export function billMail(
  to: string,
  bill: Bill,
  type: BillMailType,
  { merchantAccount }: BillingSettings,
  today: string
): MailMessage {
  const { currency, due: left, amount, dollarRate, issued, label, note } = bill
  const sum = { currency, due: left, amount, dollarRate, issued }
  const rate = billDollarRate(sum, today)
  const due = bill.dueDate?.toFormat('LLL d, yyyy') ?? ''
  const result = bill.status === 'success' ? `bill ${label} is paid` : partlyPaidText(label, due)
  const asks = type !== 'payment_received' && Number(left) > 0
  const details: [string, string][] = [
    ['Bill', label],
    ['Amount', formatTaka(dollarsToTaka(amount, rate))],
    ['Dollar rate', dollarRateText(bill, rate)],
  ]
  if (asks) {
    details.push(
      ['Total payable', totalPayableText(payableInTaka(sum, rate), billFeePercent(bill))],
      ['How to pay', paymentInstructions(merchantAccount)]
    )
  }
  // The bill's note belongs to the latest decision. An email about an earlier approval, sent again,
  // must not contain the reason of a later rejection.
  const decided = bill.status === 'rejected' ? 'payment_rejected' : 'payment_approved'
  if (type === decided && note) details.push(['Note', note])
  return {
    to,
    kind: kinds[type],
    title: kinds[type].sample.title,
    details,
    // Email texts that staff saved earlier may contain the placeholder `what`, the old name of
    // `result`.
    values: { bill: label, due, transaction: bill.trxId ?? '-', result, what: result },
    button: {
      label: asks ? 'Open and pay the bill' : 'Open the bill',
      href: `${appUrl}/billing/${bill.id}`,
    },
  }
}

function totalPayableText(taka: string, feePercent: string): string {
  const fee = Number(feePercent) ? ` (including the ${feePercent}% mobile money charge)` : ''
  return `${formatTaka(taka)}${fee}`
}

function dollarRateText({ dollarRate, rateDay }: Bill, rate: string): string {
  if (dollarRate === null) return `${formatRate(rate)} (today’s rate; fixed when you pay)`
  return rateDay ? `${formatRate(rate)} (${rateDay.toFormat('LLL d, yyyy')})` : formatRate(rate)
}

const partlyPaidText = (label: string, due: string) =>
  `a part of bill ${label} is paid. The rest is due${due && ` on ${due}`}`

function paymentInstructions(merchantAccount: string): string {
  const to = merchantAccount || 'the account that support gives you'
  return `Send Money to ${to}, then enter the transaction ID on the bill page`
}

const spendingAlert = defineMailKind({
  name: 'billing.alert',
  label: 'A customer’s usage has reached the monthly alert amount',
  subject: 'Your usage this month has reached {sum} at {brand}',
  intro: 'The usage of {account} this month has reached {sum}. Your alert is set to {limit}.',
  get placeholders() {
    return { account: 'Harbour Shop', sum: formatTaka('6125'), limit: formatTaka('6000') }
  },
  sample: {
    title: 'This month so far',
    button: { label: 'View usage', href: `${appUrl}/billing` },
    footnote: 'Your services keep running. Change or remove the alert under Billing & Payment.',
  },
})

export function spendingAlertMail(
  to: string,
  values: { account: string; sum: string; limit: string }
): MailMessage {
  return { to, kind: spendingAlert, values, ...spendingAlert.sample }
}

export const mails = [...Object.values(kinds), spendingAlert]
