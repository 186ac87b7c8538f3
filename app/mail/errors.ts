import { conflict, invalid, Refusal, tooMany } from '#core/refusal'
import { MAX_DOMAINS, MAX_SENDERS } from '#mail/limits'

/** Refusals of mail: code, status, words. */

export const NO_ANSWER = 'The mail service does not answer. Try again in a moment.'
export const TOO_MANY = `You have ${MAX_SENDERS} addresses, which is as many as one account can have.`
export const TOO_MANY_DOMAINS = `You have ${MAX_DOMAINS} domains, which is as many as one account can have.`

/** The service could not be asked; nothing was changed. */
export function noAnswer(cause?: unknown): Refusal {
  return new Refusal('mail_down', 503, NO_ANSWER, { retryAfter: 5, cause })
}

export function tooManySenders(): Refusal {
  return conflict(TOO_MANY)
}

export function tooManyDomains(): Refusal {
  return conflict(TOO_MANY_DOMAINS)
}

export function emailTaken(): Refusal {
  return invalid({ email: 'This address is in your list already.' })
}

export function domainTaken(): Refusal {
  return invalid({ domain: 'This domain is in your list already.' })
}

export function wrongName(field: 'email' | 'domain'): Refusal {
  const what = field === 'email' ? 'the address' : 'the domain'
  return invalid({ [field]: `This is not ${what}.` })
}

/** Said only to who reads the mail of the address. */
export function verifiedElsewhere(): Refusal {
  return conflict(
    'Another account sends from this address. It has to be deleted there before it can be verified here.'
  )
}

export function deadLink(): Refusal {
  return new Refusal(
    'dead_link',
    409,
    'This link has been used or is too old. Ask for another one where the address was added.'
  )
}

export function linkTooSoon(seconds: number): Refusal {
  return tooMany(
    seconds,
    `A link was sent just now. Another one can be sent in ${seconds} seconds.`
  )
}

export function tooManyLinks(seconds: number): Refusal {
  return tooMany(seconds, 'Too many links were sent. Try again later.')
}
