import type { BillStatus } from '#billing/statuses'
import { conflict } from '#core/app_error'
import { denied, type Permission, ALLOWED } from '#core/permission'

export type BillTransition = 'pay' | 'approve' | 'reject' | 'credit' | 'write_off'

/**
 * Statuses from which each transition is possible (docs/product.md, "Words and statuses"). An approval ends
 * in `success` if everything is paid, otherwise in `pending`. A credit or write-off of the whole amount due
 * ends in `success`, or in `deleted` if nothing was ever paid. A credit note on a paid bill changes no
 * status.
 */
const ALLOWED_STATUSES: Record<BillTransition, readonly BillStatus[]> = {
  pay: ['pending', 'rejected'],
  approve: ['processing'],
  reject: ['processing'],
  credit: ['pending', 'rejected', 'success'],
  write_off: ['pending', 'rejected'],
}

const REJECTION_REASONS: Record<BillStatus, string> = {
  pending: 'No payment was reported for this bill yet.',
  processing: 'A payment of this bill is being checked.',
  success: 'This bill is already paid.',
  rejected: 'The payment of this bill was already rejected.',
  deleted: 'This bill was withdrawn.',
}

export function transitionPermission(
  { status }: { status: BillStatus },
  move: BillTransition
): Permission {
  return ALLOWED_STATUSES[move].includes(status) ? ALLOWED : denied(REJECTION_REASONS[status])
}

export function assertCanTransition(bill: { status: BillStatus }, move: BillTransition): void {
  const { reason } = transitionPermission(bill, move)
  if (reason) throw conflict(reason)
}
