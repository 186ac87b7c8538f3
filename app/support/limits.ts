/** Letters of one message. */
export const MAX_TEXT_LENGTH = 10_000
/** Attachments of one message, and bytes of each (product, "Live support"). */
export const MAX_FILES_PER_MESSAGE = 10
export const MAX_FILE_BYTES = 25 * 1024 ** 2
/** Files that one person may have sent up and not sent on. */
export const MAX_UNSENT_FILES = 50
/** Messages of one customer in a minute. */
export const MAX_MESSAGES_PER_MINUTE = 60
/** Messages of a page, unless asked for another length. */
export const MESSAGES_PER_PAGE = 100
/** Minutes after which what a customer has not read is mailed to them. */
export const UNREAD_MESSAGES_MAIL_DELAY_MINUTES = 5
/** Days that a file stays which nobody sent on. */
export const UNSENT_FILE_RETENTION_DAYS = 2
