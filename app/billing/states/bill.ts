import type { BillStatus } from '#billing/statuses'
import { conflict } from '#core/refusal'
import { no, type Verdict, yes } from '#core/verdict'

export type BillMove = 'pay' | 'approve' | 'reject' | 'credit' | 'write_off'

/**
 * What can be done with a bill in which status (product, "Words and statuses"). Approving ends in `success`
 * where everything is paid and in `pending` where a part is left; crediting or writing off all that is
 * left ends in `success`, or in `deleted` where nothing was ever paid.
 */
const from: Record<BillMove, readonly BillStatus[]> = {
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
export function canMove({ status }: { status: BillStatus }, move: BillMove): Verdict {
  return from[move].includes(status) ? yes : no(why[status])
}

/** Refuses (409) with the reason. */
export function assertMove(bill: { status: BillStatus }, move: BillMove): void {
  const { reason } = canMove(bill, move)
  if (reason) throw conflict(reason)
}
