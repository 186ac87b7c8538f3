import type { AccountStatus } from '#core/contracts/actor'
import { conflict } from '#core/app_error'
import type { SenderStatus } from '#mail/statuses'
import type { SenderState } from '#packages/mail-service/types'

interface SenderStateInput {
  status: SenderStatus
  statusReason: string | null
}

/**
 * A suspension of the sender and one of its account are stored separately, so that the end of one
 * keeps the other (docs/product.md, "Accounts").
 */
export function senderServiceState(
  { status }: Pick<SenderStateInput, 'status'>,
  account: AccountStatus
): SenderState {
  if (status === 'deleted' || status === 'suspended') return status
  return status === 'verified' && account === 'active' ? 'active' : 'paused'
}

export function findSenderProblem({ status, statusReason }: SenderStateInput): string | null {
  switch (status) {
    case 'verified':
      return null
    case 'pending':
      return 'This address is not verified yet. Open the link that we sent to it.'
    case 'suspended':
      return `This address is suspended. Ask support about it.${statusReason ? ` Reason: ${statusReason}` : ''}`
    case 'deleted':
      return 'This address is deleted, which cannot be undone.'
  }
}

/** @throws 409 with the reason if the sender cannot be used */
export function assertSenderUsable(sender: SenderStateInput): void {
  const reason = findSenderProblem(sender)
  if (reason) throw conflict(reason)
}
