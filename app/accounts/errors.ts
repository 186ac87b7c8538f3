import { Refusal } from '#core/refusal'

export function lastOwner(): Refusal {
  return new Refusal(
    'last_owner',
    409,
    'This is the last owner of the account. Make another member an owner first.'
  )
}

/** An invitation that was used, taken back or is too old. */
export function deadInvitation(): Refusal {
  return new Refusal(
    'dead_invitation',
    404,
    'This invitation is no longer valid. Ask for a new one.'
  )
}

/** The link reached somebody else's browser, or the reader's other address. */
export function otherAddress(): Refusal {
  return new Refusal(
    'other_address',
    403,
    'This invitation was sent to another address. Sign in with the address that received the email.'
  )
}
