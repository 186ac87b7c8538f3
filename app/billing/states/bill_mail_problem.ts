import { partnerName } from '#billing/bill_families'
import type Bill from '#billing/models/bill'
import type { BillMailType } from '#billing/statuses'
import { billingTimeZone } from '#core/settings/regional_settings'
import { DateTime } from 'luxon'

type BillState = Pick<Bill, 'family' | 'status' | 'dueDate' | 'paid'>

/**
 * Returns why staff cannot send this email now, or `null`.
 * @param isReported whether the customer reported the last payment
 */
export function billMailProblem(
  bill: BillState,
  type: BillMailType,
  isReported: boolean
): string | null {
  if (bill.family !== 'console') return `${partnerName(bill.family)} emails its own customers.`
  const open = bill.status === 'pending' || bill.status === 'rejected'
  if (type === 'created') return null
  if (type === 'reminder') return open ? null : 'Nothing is due on this bill.'
  if (type === 'overdue') {
    if (!open) return 'Nothing is due on this bill.'
    const today = DateTime.now().setZone(billingTimeZone()).toISODate()!
    return bill.dueDate && bill.dueDate.toISODate()! < today ? null : 'This bill is not overdue.'
  }
  if (type === 'payment_received')
    return isReported ? null : 'The customer did not report the last payment. Staff entered it.'
  if (type === 'payment_approved')
    return Number(bill.paid) > 0 ? null : 'No payment of this bill was approved yet.'
  return bill.status === 'rejected' ? null : 'The payment was not rejected.'
}
