import { mailOfNoUse, mailSent } from '#billing/errors'
import { billMail } from '#billing/mails'
import type Bill from '#billing/models/bill'
import { type BillMail } from '#billing/statuses'
import { whyNotMail } from '#billing/states/mail'
import { type By, changing } from '#billing/actions/change_bill'
import { payersOf } from '#billing/queries/payers'
import { billingSettings } from '#billing/settings'
import { sendMail } from '#core/mail/mail'
import { dollarRate } from '#core/settings/dollar_rate'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { randomUUID } from 'node:crypto'

/**
 * Mails those who pay for an account about a bill, once for each occasion; Auto Courier tells its people
 * itself.
 * @param step the occasion: `reminder:3`
 * @returns whether it was sent now
 */
export async function mailBill(
  bill: Bill,
  type: BillMail,
  step: string,
  trx: TransactionClientContract,
  sentBy: number | null = null
): Promise<boolean> {
  if (bill.accountId === null) return false
  const { rows } = await trx.rawQuery(
    `insert into bill_mails (bill_id, mail_type, step, sent_by) values (?, ?, ?, ?)
     on conflict (bill_id, step) do nothing returning id`,
    // The types of the driver do not know that null can be bound.
    [bill.id, type, step, sentBy as number]
  )
  if (rows.length === 0) return false
  const people = await payersOf(bill.accountId, trx)
  const settings = await billingSettings(trx)
  const rate = await dollarRate(trx)
  for (const { email } of people) await sendMail(billMail(email, bill, type, settings, rate), trx)
  return true
}

/**
 * Sends a mail that was not sent yet, or one that was again. Throws 409 where it says nothing of the
 * bill as it is, and, unless it is asked for `again`, where it was sent already.
 */
export async function sendBillMail(
  bill: Pick<Bill, 'id'>,
  type: BillMail,
  again: boolean,
  by: By
): Promise<void> {
  await changing(bill, `bill.mail_${type}`, by, async (locked, trx) => {
    const reason = whyNotMail(locked, type)
    if (reason) throw mailOfNoUse(reason)
    const sent = await trx
      .from('bill_mails')
      .where({ bill_id: locked.id, mail_type: type })
      .orderBy('id', 'desc')
      .first()
    if (sent && !again) throw mailSent()
    const step = `${type}:by-hand:${randomUUID()}`
    await mailBill(locked, type, step, trx, by.actor?.id ?? null)
  })
}
