import { formatWait } from '#packages/text/count_with_noun'
import { conflict, invalid, AppError, tooManyRequests } from '#core/app_error'
import { MAX_DOMAINS, MAX_SENDERS } from '#mail/limits'

export const SERVICE_DOWN_MESSAGE = 'The mail service does not respond. Try again in a moment.'
export const TOO_MANY_SENDERS_MESSAGE = `You have ${MAX_SENDERS} addresses, the limit for one account.`
export const TOO_MANY_DOMAINS_MESSAGE = `You have ${MAX_DOMAINS} domains, the limit for one account.`

/** Creates the error 503 for a mail service that does not respond or is not configured. */
export function mailServiceUnavailable(cause?: unknown): AppError {
  return new AppError('mail_down', 503, SERVICE_DOWN_MESSAGE, { retryAfter: 5, cause })
}

export function tooManySenders(): AppError {
  return conflict(TOO_MANY_SENDERS_MESSAGE)
}

export function tooManyDomains(): AppError {
  return conflict(TOO_MANY_DOMAINS_MESSAGE)
}

export function emailTaken(): AppError {
  return invalid({ email: 'This address is already in your list.' })
}

export function domainTaken(): AppError {
  return invalid({ domain: 'This domain is already in your list.' })
}

export function confirmationMismatch(field: 'email' | 'domain'): AppError {
  const what = field === 'email' ? 'the address' : 'the domain'
  return invalid({ [field]: `This does not match ${what}.` })
}

/** The error is shown only to people who opened the link, and so read the emails to the address. */
export function verifiedByAnotherAccount(): AppError {
  return conflict(
    'Another account sends from this address. The address must be deleted there before you can verify it here.'
  )
}

export function linkExpired(): AppError {
  return new AppError(
    'dead_link',
    409,
    'This link was already used or has expired. Request a new link on the page of the address.'
  )
}

export function linkSentTooRecently(seconds: number): AppError {
  return tooManyRequests(
    seconds,
    `A link was just sent. You can send another one in ${formatWait(seconds)}.`
  )
}

export function tooManyLinks(seconds: number): AppError {
  return tooManyRequests(seconds, 'Too many verification links were sent. Try again later.')
}
