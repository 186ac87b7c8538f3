/** An error response. `code` is for programs, `message` for people. */
export class MailError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly more: {
      headers?: Record<string, string>
      errors?: Record<string, string[]>
      /** Zero-based index of the batch's message that caused the error. */
      index?: number
    } = {}
  ) {
    super(message)
  }
}

const make =
  (status: number, code: string, defaultMessage: string) =>
  (message = defaultMessage, more: MailError['more'] = {}) =>
    new MailError(status, code, message, more)

export const mailErrors = {
  noKey: make(
    401,
    'no_key',
    'Send the headers X-Access-Key-Id and X-Secret-Key of your sender address.'
  ),
  wrongKey: make(401, 'wrong_key', 'The access key id or the secret key is wrong.'),
  wrongKeys: make(429, 'wrong_keys', 'Too many wrong keys. Try again in a minute.'),
  paused: make(403, 'paused', 'This address cannot send email, because its account is suspended.'),
  suspended: make(
    403,
    'suspended',
    'This sender address is suspended. Its owner can read the reason in the console.'
  ),
  deleted: make(403, 'deleted', 'This sender address was deleted.'),
  reused: make(409, 'key_reused', 'This idempotency key was already used for another message.'),
  hourlyLimit: make(
    429,
    'hourly_limit',
    'The hourly limit of this sender address is reached. Send again in the next hour.'
  ),
  dailyLimit: make(
    429,
    'warm_up',
    'The daily limit of this new sender address is reached. The limit rises every day. Send again tomorrow (UTC).'
  ),
  tooManyRefused: make(
    429,
    'too_many_refused',
    'Too many calls of this sender address were rejected in this minute. Correct the calls and try again in the next minute.'
  ),
  busy: make(503, 'busy', 'The service is too busy. Try again in a moment.'),
  away: make(503, 'away', 'The message could not be stored. Send it again.'),
  tooLarge: make(413, 'too_large', 'A message can have at most 25 MB.'),
  tooMuchText: make(413, 'too_large', 'A message can have at most 1 MB without its attachments.'),
  longCall: make(
    413,
    'too_large',
    'A call can have at most 20 MB as JSON or a plain form, and 30 MB as a form with files. Send fewer messages or smaller attachments in one call.'
  ),
  wrongType: make(
    415,
    'wrong_type',
    'Send application/json, application/x-www-form-urlencoded or multipart/form-data.'
  ),
  badRequest: make(400, 'bad_request', 'The request is not valid.'),
  cutShort: make(400, 'cut_short', 'The request ended before all announced bytes arrived.'),
  invalid: make(422, 'invalid', 'The message is not complete.'),
  method: make(405, 'method', 'Use the method POST.'),
  nothing: make(404, 'nothing_here', 'This address does not exist.'),
  noSender: make(404, 'no_sender', 'This sender does not exist.'),
  noMessage: make(404, 'no_message', 'This message does not exist.'),
  exists: make(409, 'exists', 'Another sender already has this id.'),
} as const

export const retryAfterHeaders = (seconds: number) => ({
  headers: { 'Retry-After': String(Math.max(1, Math.ceil(seconds))) },
})
