/** Letters of one message. */
export const MAX_TEXT = 10_000
/** Attachments of one message, and bytes of each (product, "Live support"). */
export const MAX_FILES = 10
export const MAX_FILE_BYTES = 25 * 1024 ** 2
/** Files that one person may have sent up and not sent on. */
export const MAX_UNSENT = 50
/** Messages of one customer in a minute. */
export const MAX_PER_MINUTE = 60
/** Messages of a page, unless asked for another length. */
export const PAGE_LENGTH = 100
/** Minutes after which what a customer has not read is mailed to them. */
export const AWAY_MINUTES = 5
/** Days that a file stays which nobody sent on. */
export const UNSENT_DAYS = 2
