const BYTES_PER_MB = 1024 ** 2

/** Of one message as it is composed, bytes. */
export const MAX_MESSAGE_BYTES = 25 * BYTES_PER_MB
/** Bytes of an API message without attachments: its fields, text and HTML. */
export const MAX_MESSAGE_TEXT_BYTES = BYTES_PER_MB
/** Values and nesting depth of JSON; commas and brackets count as values. A batch of 100 full messages has 30,000. */
export const MAX_JSON_VALUES = 50_000
export const MAX_JSON_DEPTH = 16
export const MAX_FORM_FIELDS = 1_000
/** Elements and nesting depth of an HTML part. Browsers render at most 512 levels. */
export const MAX_HTML_ELEMENTS = 50_000
export const MAX_HTML_DEPTH = 256
/** Header size of a message that arrives by SMTP. */
export const MAX_HEADER_BYTES = 256 * 1024
export const MAX_HEADER_LINES = 4_000
/** MIME parts of an incoming message, nested or not, and DKIM signatures that are verified. */
export const MAX_MIME_PARTS = 200
export const MAX_DKIM_SIGNATURES = 10
/** Calls of one sender that may be rejected for their content per minute. */
export const MAX_REJECTED_CALLS_PER_MINUTE = 120
/** Of a call: JSON and plain forms are strings in memory, files of a multipart form are not. */
export const MAX_JSON_BYTES = 20 * BYTES_PER_MB
export const MAX_FORM_BYTES = 30 * BYTES_PER_MB
/** Bodies that may be in memory at once; who comes then is asked to wait. */
export const MAX_BYTES_IN_FLIGHT = 100 * BYTES_PER_MB

export const MAX_BATCH_MESSAGES = 100
export const MAX_SMTP_RECIPIENTS = 100
export const MAX_DISPLAY_NAME_LENGTH = 200
export const MAX_SUBJECT_LENGTH = 500
export const MAX_TAGS = 10
export const MAX_TAG_LENGTH = 64
export const MAX_CUSTOM_HEADERS = 50
/** RFC 5322, 2.1.1: a line without its end. */
export const MAX_LINE_BYTES = 998
export const MAX_ATTACHMENTS = 50
export const MAX_IDEMPOTENCY_KEY_LENGTH = 200
/** Days ahead that something may be sent. */
export const MAX_SCHEDULE_DAYS = 30

/**
 * Messages on the first, second, … day (UTC) on which a sender sends anything. After the last only the hourly
 * limit holds. Others' servers believe an address that grows (peers.md, "Mail").
 */
export const WARM_UP_DAILY_LIMITS = [50, 100, 500, 1_000, 5_000, 10_000, 20_000]
