import { Refusal } from '#core/refusal'

/** One answer for an unknown address, a wrong password and a person without one. */
export function wrongCredentials(): Refusal {
  const words = 'The email or password is incorrect.'
  return new Refusal('wrong_credentials', 422, words, { errors: { email: [words] } })
}

/** Said only to somebody who has proved to be the person. */
export function disabled(): Refusal {
  return new Refusal('disabled', 403, 'This account is disabled. Ask support to enable it.')
}

export function wrongCode(): Refusal {
  const words = 'This OTP is incorrect. Use the code from the newest email.'
  return new Refusal('wrong_code', 422, words, { errors: { otp: [words] } })
}

/** Expired, used, tried too often, replaced, or never asked for. */
export function deadCode(): Refusal {
  const words = 'This OTP is no longer valid. Send a new one.'
  return new Refusal('dead_code', 422, words, { errors: { otp: [words] } })
}

/**
 * A lock on an address or on where the tries come from. The way out is always open to whoever reads
 * the mail of the address, so that nobody can lock a person out for good.
 */
export function lockedOut(seconds: number, wayOut = true): Refusal {
  const wait = seconds >= 120 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`
  const words = `Too many attempts. Try again in ${wait}${
    wayOut ? ', or open the link in our last email to this address to unlock this browser' : ''
  }.`
  return new Refusal('too_many', 429, words, { retryAfter: seconds })
}

export function disabledStaff(name: string): Refusal {
  return new Refusal('disabled_staff', 409, `${name} is disabled. Enable them first.`)
}

export function lastAdministrator(): Refusal {
  return new Refusal(
    'last_administrator',
    409,
    'This is the last administrator. Make another person an administrator first.'
  )
}
