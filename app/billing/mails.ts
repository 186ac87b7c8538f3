import { appUrl } from '#config/app'
import type Bill from '#billing/models/bill'
import { payable, rateOf } from '#billing/payable'
import type { BillingSettings } from '#billing/settings'
import type { BillMail } from '#billing/statuses'
import type { Mail } from '#core/mail/mail'

interface Words {
  subject: string
  lines: string[]
}

/** @param today the dollar rate of today */
export function billMail(
  to: string,
  bill: Bill,
  type: BillMail,
  { merchantAccount }: BillingSettings,
  today: string
): Mail {
  const { subject, lines } = words[type](bill)
  const { currency, due, amount, dollarRate } = bill
  const sum = { currency, due, amount, dollarRate }
  const total = `৳${payable(sum, rateOf(sum, today))}`
  const how = [
    '',
    `To pay: ${total}, the charge of 1.75% included${merchantAccount ? `, by Send Money to ${merchantAccount}` : ''}.`,
    `Then enter the transaction ID here: ${appUrl}/billing/${bill.id}`,
  ]
  const asks = type !== 'payment_received' && Number(due) > 0
  const look = ['', `The bill: ${appUrl}/billing/${bill.id}`]
  return { to, subject, text: [...lines, ...(asks ? how : look)].join('\n') }
}

const dueDay = ({ dueDate }: Bill) => dueDate?.toFormat('LLL d, yyyy') ?? ''
const said = ({ note }: Bill) => (note ? ['', `Note: ${note}`] : [])

const words: Record<BillMail, (bill: Bill) => Words> = {
  created: (bill) => ({
    subject: `Your bill ${bill.label}`,
    lines: [`Your bill ${bill.label} is there. It is to be paid until ${dueDay(bill)}.`],
  }),
  reminder: (bill) => ({
    subject: `Reminder: bill ${bill.label} is due ${dueDay(bill)}`,
    lines: [`Your bill ${bill.label} is to be paid until ${dueDay(bill)}.`],
  }),
  overdue: (bill) => ({
    subject: `Bill ${bill.label} is overdue`,
    lines: [
      `Your bill ${bill.label} was to be paid until ${dueDay(bill)}.`,
      'If it stays unpaid for 7 days after that day, your account is suspended: what it runs stops, and everything can still be read and paid.',
    ],
  }),
  payment_received: (bill) => ({
    subject: `Your payment of bill ${bill.label}`,
    lines: [
      `You told us that you paid bill ${bill.label} (transaction ${bill.trxId ?? '-'}). We look at it and tell you.`,
    ],
  }),
  payment_approved: (bill) => ({
    subject: `Your payment of bill ${bill.label} is approved`,
    lines: [
      bill.status === 'success'
        ? `Thank you: bill ${bill.label} is paid.`
        : `Thank you: a part of bill ${bill.label} is paid. The rest is open until ${dueDay(bill)}.`,
    ],
  }),
  payment_rejected: (bill) => ({
    subject: `Your payment of bill ${bill.label} could not be found`,
    lines: [
      `We could not find the payment of bill ${bill.label} (transaction ${bill.trxId ?? '-'}).`,
      ...said(bill),
    ],
  }),
}
