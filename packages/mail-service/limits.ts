const MB = 1024 ** 2

/** Of one message as it is composed, bytes. */
export const MESSAGE_BYTES = 25 * MB
/** Bytes of an API message without attachments: its fields, text and HTML. */
export const PLAIN_BYTES = MB
/** Values and nesting depth of JSON; commas and brackets count as values. A batch of 100 full messages has 30,000. */
export const MAX_JSON_VALUES = 50_000
export const MAX_JSON_DEPTH = 16
export const MAX_FORM_FIELDS = 1_000
/** Elements and nesting depth of an HTML part. Browsers render at most 512 levels. */
export const MAX_HTML_ELEMENTS = 50_000
export const MAX_HTML_DEPTH = 256
/** Header size of a message that arrives by SMTP. */
export const HEADER_BYTES = 256 * 1024
export const HEADER_LINES = 4_000
/** MIME parts of an incoming message, nested or not, and DKIM signatures that are verified. */
export const MIME_PARTS = 200
export const DKIM_SIGNATURES = 10
/** Calls of one sender that may be rejected for their content per minute. */
export const REFUSED_CALLS = 120
/** Of a call: JSON and plain forms are strings in memory, files of a multipart form are not. */
export const JSON_BYTES = 20 * MB
export const FORM_BYTES = 30 * MB
/** Bodies that may be in memory at once; who comes then is asked to wait. */
export const BYTES_IN_FLIGHT = 100 * MB

export const BATCH = 100
export const SMTP_RECIPIENTS = 100
export const NAME_LENGTH = 200
export const SUBJECT_LENGTH = 500
export const TAGS = 10
export const TAG_LENGTH = 64
export const HEADERS = 50
/** RFC 5322, 2.1.1: a line without its end. */
export const LINE_BYTES = 998
export const ATTACHMENTS = 50
export const KEY_LENGTH = 200
/** Days ahead that something may be sent. */
export const SCHEDULE_DAYS = 30

/**
 * Messages on the first, second, … day (UTC) on which a sender sends anything. After the last only the hourly
 * limit holds. Others' servers believe an address that grows (peers.md, "Mail").
 */
export const WARM_UP = [50, 100, 500, 1_000, 5_000, 10_000, 20_000]
