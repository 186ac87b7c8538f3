import Bill from '#billing/models/bill'
import type { Requester } from '#billing/actions/with_locked_bill'
import { sendBillMailOnce } from '#billing/actions/send_bill_mails'
import { isTooSmallToPay } from '#billing/payable_amounts'
import { Account } from '#accounts/public'
import { resumeAccount, suspendAccount } from '#accounts/public_effects'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { loadRegionalSettings } from '#core/settings/load_regional_settings'
import { billingTimeZone } from '#core/settings/regional_settings'
import { AppError } from '#core/app_error'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** Days after the due date until an account is suspended. */
export const SUSPENSION_GRACE_DAYS = 7
const REMINDER_DAYS = [3, 0]

/**
 * Resumes a suspended account once all bills that caused the suspension are settled. A payment under
 * review does not settle a bill. If staff suspended the account, it stays suspended.
 */
export async function resumeAccountIfPaid(accountId: number | null, by: Requester): Promise<void> {
  if (accountId === null) return
  const account = await Account.find(accountId)
  if (account?.status !== 'suspended' || account.suspendedFor !== 'overdue') return
  const left = await Bill.query()
    .where({ accountId })
    .whereNotNull('suspendedAt')
    .whereIn('status', ['pending', 'rejected', 'processing'])
    .first()
  if (left) return
  await ignoreConflict(() => resumeAccount(accountId, { ...by, actor: null }))
}

/**
 * Sends reminders and overdue notices, and suspends accounts whose bills stay unpaid. Each step happens
 * once per bill. Skips bills that nobody can pay.
 */
export async function runDunning(now: DateTime = DateTime.utc(), signal?: AbortSignal) {
  await loadRegionalSettings()
  const rate = await loadDollarRate()
  const today = now.setZone(billingTimeZone()).startOf('day')
  const lately = today.plus({ days: Math.max(...REMINDER_DAYS) }).toISODate()!
  let after = 0
  while (!signal?.aborted) {
    const bills = await Bill.query()
      .where('family', 'console')
      .whereIn('status', ['pending', 'rejected'])
      .where('dueDate', '<=', lately)
      .where('id', '>', after)
      .orderBy('id')
      .limit(500)
    for (const bill of bills) await remindOrSuspend(bill, today, rate)
    if (bills.length < 500) break
    after = bills.at(-1)!.id
  }
  // Repeats what a stopped process left undone: the last bill was paid, but the account was not
  // resumed.
  const held = Account.query().where({ status: 'suspended', suspendedFor: 'overdue' })
  for (const { id } of await held) await resumeAccountIfPaid(id, { actor: null })
}

async function remindOrSuspend(
  { id, accountId, dueDate }: Bill,
  today: DateTime,
  rate: string
): Promise<void> {
  const due = DateTime.fromISO(dueDate!.toISODate()!, { zone: billingTimeZone() })
  const left = Math.round(due.diff(today, 'days').days)
  const suspends = await db.transaction(async (trx) => {
    const bill = await Bill.query({ client: trx }).where({ id }).forUpdate().firstOrFail()
    if (bill.status !== 'pending' && bill.status !== 'rejected') return false
    if (isTooSmallToPay(bill, rate)) return false
    // If several reminders apply, sends only the one closest to the due date.
    const days = REMINDER_DAYS.filter((each) => left >= 0 && left <= each).at(-1)
    if (days !== undefined) await sendBillMailOnce(bill, 'reminder', `reminder:${days}`, trx)
    else if (left < 0) await sendBillMailOnce(bill, 'overdue', 'overdue', trx)
    return left <= -SUSPENSION_GRACE_DAYS && !bill.suspendedAt
  })
  if (!suspends) return
  const { label } = await Bill.findOrFail(id)
  const reason = `Bill ${label} is not paid. Pay it under Billing & Payment.`
  await ignoreConflict(() => suspendAccount(accountId!, reason, { actor: null }, 'overdue'))
  // Saved after the suspension, so that the next run repeats it if the process stops in between.
  // Dunning never suspends twice for the same bill.
  await db.from('bills').where({ id }).update({ suspended_at: new Date() })
}

/** Ignores a 409: the account is already suspended, for example for another bill, or already resumed. */
async function ignoreConflict(run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 409) throw error
  }
}
