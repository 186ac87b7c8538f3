const MB = 1024 ** 2

/** Of one message as it is composed, bytes. */
export const MESSAGE_BYTES = 25 * MB
/** Of a message of the API without its attachments: its fields, its text and its HTML. */
export const PLAIN_BYTES = MB
/** Values, commas and brackets of JSON, and brackets in each other. A batch of 100 full messages has 30,000 values. */
export const MAX_JSON_VALUES = 50_000
export const MAX_JSON_DEPTH = 16
export const MAX_FORM_FIELDS = 1_000
/** Of an HTML part. Browsers show at most 512 elements in each other. */
export const MAX_HTML_ELEMENTS = 50_000
export const MAX_HTML_DEPTH = 256
/** Of a message that comes in by SMTP. */
export const HEADER_BYTES = 256 * 1024
export const HEADER_LINES = 4_000
/** Of mail that is read here: its parts in each other or beside each other, and signatures that are checked. */
export const MIME_PARTS = 200
export const DKIM_SIGNATURES = 10
/** Calls of one sender in a minute that may be refused for what they hold. */
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
