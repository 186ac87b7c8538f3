import { formatWait } from '#packages/text/count_with_noun'
import { AppError } from '#core/app_error'

/** The error is the same for an unknown address, a wrong password, and a person without a password. */
export function wrongCredentials(): AppError {
  const message = 'The email or password is incorrect.'
  return new AppError('wrong_credentials', 422, message, { errors: { email: [message] } })
}

/** Show this error only to people who have proved their identity. */
export function personDisabled(): AppError {
  return new AppError('disabled', 403, 'This account is disabled. Ask support to enable it.')
}

export function wrongCode(): AppError {
  const message = 'This OTP is incorrect. Use the code from the newest email.'
  return new AppError('wrong_code', 422, message, { errors: { otp: [message] } })
}

/**
 * Creates the error for a code that is expired, used, or was tried too often. It is the same if no code was
 * requested.
 */
export function codeNoLongerValid(): AppError {
  const message = 'This OTP is no longer valid. Send a new one.'
  return new AppError('dead_code', 422, message, { errors: { otp: [message] } })
}

/**
 * So that nobody can lock a person out permanently, a link in an email unlocks the browser of the address's owner.
 */
export function lockedOut(seconds: number, wayOut = true): AppError {
  const message = `Too many attempts. Try again in ${formatWait(seconds)}${
    wayOut ? ', or open the link in our last email to this address to unlock this browser' : ''
  }.`
  return new AppError('too_many', 429, message, { retryAfter: seconds })
}

export function staffDisabled(name: string): AppError {
  return new AppError('disabled_staff', 409, `${name} is disabled. Enable this staff member first.`)
}

export function lastAdministratorMustStay(): AppError {
  return new AppError(
    'last_administrator',
    409,
    'This is the last administrator. Make another person an administrator first.'
  )
}
