import { AppError } from '#core/app_error'

export function lastOwnerMustStay(): AppError {
  return new AppError(
    'last_owner',
    409,
    'This is the last owner of the account. Make another member an owner first.'
  )
}

export function invitationExpired(): AppError {
  return new AppError(
    'dead_invitation',
    404,
    'This invitation is no longer valid. Ask for a new one.'
  )
}

export function wrongInvitee(): AppError {
  return new AppError(
    'other_address',
    403,
    'This invitation was sent to another address. Sign in with the address that received the email.'
  )
}
