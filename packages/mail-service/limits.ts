const MB = 1024 ** 2

/** Of one message as it is composed, bytes. */
export const MESSAGE_BYTES = 25 * MB
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
