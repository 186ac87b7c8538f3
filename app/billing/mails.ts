import { appUrl } from '#config/app'
import type Bill from '#billing/models/bill'
import { payable, rateOf } from '#billing/payable'
import type { BillingSettings } from '#billing/settings'
import type { BillMail } from '#billing/statuses'
import { defineMail, type MailKind } from '#core/mail/kinds'
import type { Letter } from '#core/mail/letter'
import { taka } from '#core/money'

const BILL = 'B-2026-000042'
const DUE = 'Oct 8, 2026'
const TRX = 'BK7Q2M9XPL'

const sample = (title: string) => ({
  title,
  facts: [
    ['Bill', BILL],
    ['Amount', '৳1225.00'],
    ['Total payable', '৳1246.44, the charge of 1.75% included'],
    [
      'How to pay',
      'Send Money to 01800000000, then enter the transaction ID on the page of the bill',
    ],
  ] satisfies Letter['facts'],
  button: { label: 'Open the bill', href: `${appUrl}/billing/42` },
})

const kinds: Record<BillMail, MailKind> = {
  created: defineMail({
    name: 'billing.created',
    label: 'A bill is there',
    subject: 'Your bill {bill}',
    intro: 'Your bill {bill} is there. It is to be paid until {due}.',
    placeholders: { bill: BILL, due: DUE },
    sample: sample('Your bill is there'),
  }),
  reminder: defineMail({
    name: 'billing.reminder',
    label: 'A bill is due soon',
    subject: 'Reminder: bill {bill} is due {due}',
    intro: 'Your bill {bill} is to be paid until {due}.',
    placeholders: { bill: BILL, due: DUE },
    sample: sample('A bill is due'),
  }),
  overdue: defineMail({
    name: 'billing.overdue',
    label: 'A bill is overdue',
    subject: 'Bill {bill} is overdue',
    intro:
      'Your bill {bill} was to be paid until {due}. If it stays unpaid for 7 days after that day, your account is suspended: what it runs stops, and everything can still be read and paid.',
    placeholders: { bill: BILL, due: DUE },
    sample: sample('A bill is overdue'),
  }),
  payment_received: defineMail({
    name: 'billing.payment_received',
    label: 'A payment was claimed',
    subject: 'Your payment of bill {bill}',
    intro:
      'You told us that you paid bill {bill} (transaction {transaction}). We look at it and tell you.',
    placeholders: { bill: BILL, transaction: TRX },
    sample: sample('We look at your payment'),
  }),
  payment_approved: defineMail({
    name: 'billing.payment_approved',
    label: 'A payment was approved',
    subject: 'Your payment of bill {bill} is approved',
    intro: 'Thank you: {what}.',
    placeholders: { bill: BILL, what: `bill ${BILL} is paid` },
    sample: sample('Your payment is approved'),
  }),
  payment_rejected: defineMail({
    name: 'billing.payment_rejected',
    label: 'A payment was rejected',
    subject: 'Your payment of bill {bill} could not be found',
    intro: 'We could not find the payment of bill {bill} (transaction {transaction}).',
    placeholders: { bill: BILL, transaction: TRX },
    sample: sample('Your payment could not be found'),
  }),
}

/** @param today the dollar rate of today */
export function billMail(
  to: string,
  bill: Bill,
  type: BillMail,
  { merchantAccount }: BillingSettings,
  today: string
): Letter {
  const { currency, due: left, amount, dollarRate, label, note } = bill
  const sum = { currency, due: left, amount, dollarRate }
  const rate = rateOf(sum, today)
  const due = bill.dueDate?.toFormat('LLL d, yyyy') ?? ''
  const what = bill.status === 'success' ? `bill ${label} is paid` : partPaid(label, due)
  const asks = type !== 'payment_received' && Number(left) > 0
  const facts: [string, string][] = [
    ['Bill', label],
    ['Amount', `৳${taka(amount, rate)}`],
  ]
  if (asks) {
    facts.push(
      ['Total payable', `৳${payable(sum, rate)}, the charge of 1.75% included`],
      ['How to pay', howToPay(merchantAccount)]
    )
  }
  if (type === 'payment_rejected' && note) facts.push(['Note', note])
  return {
    ...{ to, kind: kinds[type], title: kinds[type].sample.title, facts },
    values: { bill: label, due, transaction: bill.trxId ?? '-', what },
    button: {
      label: asks ? 'Open and pay the bill' : 'Open the bill',
      href: `${appUrl}/billing/${bill.id}`,
    },
  }
}

const partPaid = (label: string, due: string) =>
  `a part of bill ${label} is paid. The rest is open until ${due}`

function howToPay(merchantAccount: string): string {
  const to = merchantAccount || 'the account that support tells you'
  return `Send Money to ${to}, then enter the transaction ID on the page of the bill`
}

const alert = defineMail({
  name: 'billing.alert',
  label: 'This month has come to the sum that a customer chose',
  subject: 'This month has come to {sum} at {brand}',
  intro: 'What {account} uses this month has come to {sum}. You asked to be told from {limit} on.',
  placeholders: { account: 'Harbour Shop', sum: '৳6125.00', limit: '৳6000.00' },
  sample: {
    title: 'This month so far',
    button: { label: 'See what it is for', href: `${appUrl}/billing` },
    footnote: 'Nothing is stopped. Change or end the alert under Billing & Payment.',
  },
})

/** Tells who pays that a month has come to what they chose; once a month. */
export function alertMail(
  to: string,
  values: { account: string; sum: string; limit: string }
): Letter {
  return { to, kind: alert, values, ...alert.sample }
}

export const mails = [...Object.values(kinds), alert]
