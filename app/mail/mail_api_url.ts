import { mailUrl } from '#config/services'

/** The base URL of the mail service's public API: `POST /send-mail`. */
export const mailApiUrl = mailUrl
