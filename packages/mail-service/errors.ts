/** Why the service does not do what was asked for: an HTTP status, a word for programs, words for people. */
export class MailError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: {
      headers?: Record<string, string>
      /** Of a form: what is wrong with each field. */
      errors?: Record<string, string[]>
      /** Which message of a batch, from 0. */
      index?: number
    } = {}
  ) {
    super(message)
  }
}

const make =
  (status: number, code: string, words: string) =>
  (message = words, more: MailError['more'] = {}) =>
    new MailError(status, code, message, more)

/** Every refusal of what takes mail in. */
export const mailErrors = {
  noKey: make(401, 'no_key', 'Send the headers X-Access-Key-Id and X-Secret-Key of your sender.'),
  wrongKey: make(401, 'wrong_key', 'The access key id and the secret key do not belong together.'),
  wrongKeys: make(429, 'wrong_keys', 'Too many wrong keys. Try again in a minute.'),
  paused: make(403, 'paused', 'This sender sends nothing while its account is suspended.'),
  suspended: make(403, 'suspended', 'This sender was suspended. Its owner can read why.'),
  deleted: make(403, 'deleted', 'This sender was deleted.'),
  reused: make(409, 'key_reused', 'This idempotency key was used for another message.'),
  hourlyLimit: make(
    429,
    'hourly_limit',
    'The messages of this hour are used up. The next hour frees it by itself.'
  ),
  dailyLimit: make(
    429,
    'warm_up',
    'A new sender begins with few messages a day, and those of today are used up. Tomorrow (UTC) there are more.'
  ),
  tooManyRefused: make(
    429,
    'too_many_refused',
    'Too many calls of this sender were rejected in this minute. Correct them, and try again in the next minute.'
  ),
  busy: make(503, 'busy', 'Too much is coming in at once. Try again in a moment.'),
  away: make(503, 'away', 'The message could not be kept just now. Send it again.'),
  tooLarge: make(413, 'too_large', 'A message may have 25 MB at most.'),
  tooMuchText: make(413, 'too_large', 'A message may have at most 1 MB without its attachments.'),
  longCall: make(
    413,
    'too_large',
    'A call may have at most 20 MB as JSON or a plain form, and 30 MB as a form with files. Send fewer messages or smaller attachments in one call.'
  ),
  wrongType: make(
    415,
    'wrong_type',
    'Send application/json, application/x-www-form-urlencoded or multipart/form-data.'
  ),
  badRequest: make(400, 'bad_request', 'That request cannot be understood.'),
  cutShort: make(400, 'cut_short', 'Less arrived than was announced.'),
  invalid: make(422, 'invalid', 'The message is not complete.'),
  method: make(405, 'method', 'Send it with POST.'),
  nothing: make(404, 'nothing_here', 'There is nothing here.'),
  noSender: make(404, 'no_sender', 'There is no such sender.'),
  noMessage: make(404, 'no_message', 'There is no such message.'),
  exists: make(409, 'exists', 'Another sender has this number.'),
} as const

/** A group of refusals that become possible by waiting: seconds until then. */
export const after = (seconds: number) => ({
  headers: { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) },
})
