export const MAX_TEXT_LENGTH = 10_000
/** Limits of one message (docs/product.md, "Live support"). */
export const MAX_FILES_PER_MESSAGE = 10
export const MAX_FILE_BYTES = 25 * 1024 ** 2
/** Maximum number of files that a person has uploaded but not sent in a message. */
export const MAX_UNSENT_FILES = 50
/** Maximum for a customer. Staff have no limit. */
export const MAX_MESSAGES_PER_MINUTE = 60
export const MESSAGES_PER_PAGE = 100
export const UNREAD_MESSAGES_MAIL_DELAY_MINUTES = 5
export const UNSENT_FILE_RETENTION_DAYS = 2
