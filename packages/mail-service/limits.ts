const BYTES_PER_MB = 1024 ** 2

export const MAX_MESSAGE_BYTES = 25 * BYTES_PER_MB
/** Maximum bytes of an API message without attachments: fields, text and HTML. */
export const MAX_MESSAGE_TEXT_BYTES = BYTES_PER_MB
/**
 * Maximum number of JSON values in a request, counted as commas and opening brackets. A batch of 100 full messages has
 * about 30,000.
 */
export const MAX_JSON_VALUES = 50_000
export const MAX_JSON_DEPTH = 16
export const MAX_FORM_FIELDS = 1_000
/** Limits of a message's HTML part. Browsers render at most 512 levels of elements. */
export const MAX_HTML_ELEMENTS = 50_000
export const MAX_HTML_DEPTH = 256
/**
 * Maximum number of lines inside quotes and lists. A line is counted once for each quote or list around it, because the
 * text part repeats the prefix of each.
 */
export const MAX_HTML_PREFIXED_LINES = 100_000
/** Limits of the header of a message that arrives by SMTP, from a program or another mail server. */
export const MAX_HEADER_BYTES = 256 * 1024
export const MAX_HEADER_LINES = 4_000
/** Limits of an email that the service receives. Nested MIME parts are counted too. */
export const MAX_MIME_PARTS = 200
export const MAX_DKIM_SIGNATURES = 10
/**
 * Number of calls of one sender that may be rejected in a minute because of their content. After that, all calls of the
 * sender are rejected until the minute ends.
 */
export const MAX_REJECTED_CALLS_PER_MINUTE = 120
/**
 * Maximum bytes of a request. `MAX_JSON_BYTES` is for JSON and simple forms, which become one string. `MAX_FORM_BYTES`
 * is for multipart forms, whose files do not become strings.
 */
export const MAX_JSON_BYTES = 20 * BYTES_PER_MB
export const MAX_FORM_BYTES = 30 * BYTES_PER_MB
/** Maximum bytes of all request bodies in memory. Further requests get an error and must retry later. */
export const MAX_BYTES_IN_FLIGHT = 100 * BYTES_PER_MB

export const MAX_BATCH_MESSAGES = 100
export const MAX_SMTP_RECIPIENTS = 100
export const MAX_DISPLAY_NAME_LENGTH = 200
export const MAX_SUBJECT_LENGTH = 500
export const MAX_TAGS = 10
export const MAX_TAG_LENGTH = 64
export const MAX_CUSTOM_HEADERS = 50
/** Maximum length of a line without CR LF (RFC 5322, 2.1.1). */
export const MAX_LINE_BYTES = 998
export const MAX_ATTACHMENTS = 50
export const MAX_IDEMPOTENCY_KEY_LENGTH = 200
export const MAX_SCHEDULE_DAYS = 30

/**
 * Maximum messages of a new sender on its first, second and later days with mail (UTC). After these days, only the
 * hourly limit applies. Mail servers trust an address whose volume grows slowly. docs/guides/mail.md lists these
 * numbers.
 */
export const WARM_UP_DAILY_LIMITS = [50, 100, 500, 1_000, 5_000, 10_000, 20_000]
