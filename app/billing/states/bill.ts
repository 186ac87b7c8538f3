import type { BillStatus } from '#billing/statuses'
import { conflict } from '#core/app_error'
import { denied, type Permission, ALLOWED } from '#core/permission'

export type BillTransition = 'pay' | 'approve' | 'reject' | 'credit' | 'write_off'

/**
 * What can be done with a bill in which status (product, "Words and statuses"). Approving ends in `success`
 * where everything is paid and in `pending` where a part is left; crediting or writing off all that is
 * left ends in `success`, or in `deleted` where nothing was ever paid.
 */
const from: Record<BillTransition, readonly BillStatus[]> = {
  pay: ['pending', 'rejected'],
  approve: ['processing'],
  reject: ['processing'],
  credit: ['pending', 'rejected'],
  write_off: ['pending', 'rejected'],
}

const why: Record<BillStatus, string> = {
  pending: 'No payment was reported for this bill yet.',
  processing: 'A payment of this bill is being checked.',
  success: 'This bill is already paid.',
  rejected: 'The payment of this bill was already rejected.',
  deleted: 'This bill was withdrawn.',
}

/** Whether it can be done now, with the reason for the button where not. */
export function transitionPermission(
  { status }: { status: BillStatus },
  move: BillTransition
): Permission {
  return from[move].includes(status) ? ALLOWED : denied(why[status])
}

/** Refuses (409) with the reason. */
export function assertCanTransition(bill: { status: BillStatus }, move: BillTransition): void {
  const { reason } = transitionPermission(bill, move)
  if (reason) throw conflict(reason)
}
