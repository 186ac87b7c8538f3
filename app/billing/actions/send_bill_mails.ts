import { mailNotApplicable, mailAlreadySent } from '#billing/errors'
import { billMail } from '#billing/mails'
import type Bill from '#billing/models/bill'
import { type BillMailType } from '#billing/statuses'
import { billMailProblem } from '#billing/states/bill_mail_problem'
import { type Requester, withLockedBill } from '#billing/actions/with_locked_bill'
import { isLastPaymentReported } from '#billing/queries/bill_details'
import { listBillingRecipients } from '#billing/queries/billing_recipients'
import { loadBillingSettings } from '#billing/settings'
import { sendMails } from '#core/mail/send_mail'
import { loadDollarRate } from '#core/settings/dollar_rate'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { randomUUID } from 'node:crypto'

/**
 * Emails the people who pay for an account, once for each `step`. Partners email their customers
 * themselves.
 * @param step unique name of the occasion, for example `reminder:3`
 */
export function sendBillMailOnce(
  bill: Bill,
  type: BillMailType,
  step: string,
  trx: TransactionClientContract,
  sentBy: number | null = null
): Promise<void> {
  return sendBillMailsOnce([bill], type, step, trx, sentBy)
}

/** Sends the emails of many bills with a constant number of SQL statements. */
export async function sendBillMailsOnce(
  bills: Bill[],
  type: BillMailType,
  step: string,
  trx: TransactionClientContract,
  sentBy: number | null = null
): Promise<void> {
  const own = bills.filter(({ accountId }) => accountId !== null)
  const { rows } = await trx.rawQuery(
    `insert into bill_mails (bill_id, mail_type, step, sent_by)
     select id, ?, ?, cast(? as bigint) from unnest(cast(? as bigint[])) id
     on conflict (bill_id, step) do nothing returning bill_id`,
    // Cast, because the driver's types do not allow `null`.
    [type, step, sentBy as number, own.map(({ id }) => id)]
  )
  const fresh = new Set(rows.map((row: { bill_id: number }) => row.bill_id))
  if (fresh.size === 0) return
  const mailed = own.filter(({ id }) => fresh.has(id))
  const payers = await listBillingRecipients(
    [...new Set(mailed.map(({ accountId }) => accountId!))],
    trx
  )
  const settings = await loadBillingSettings(trx)
  const rate = await loadDollarRate(trx)
  const letters = mailed.flatMap((bill) =>
    payers.get(bill.accountId!)!.map((to) => billMail(to, bill, type, settings, rate))
  )
  await sendMails(letters, trx)
}

/** @throws 409 if the email does not fit the bill's status, or was already sent and `again` is false */
export async function sendBillMailOnRequest(
  bill: Pick<Bill, 'id'>,
  type: BillMailType,
  again: boolean,
  by: Requester
): Promise<void> {
  await withLockedBill(bill, `bill.mail_${type}`, by, async (locked, trx) => {
    const reason = billMailProblem(locked, type, await isLastPaymentReported(locked, trx))
    if (reason) throw mailNotApplicable(reason)
    const sent = await trx
      .from('bill_mails')
      .where({ bill_id: locked.id, mail_type: type })
      .orderBy('id', 'desc')
      .first()
    if (sent && !again) throw mailAlreadySent()
    const step = `${type}:by-hand:${randomUUID()}`
    await sendBillMailOnce(locked, type, step, trx, by.actor?.id ?? null)
  })
}
