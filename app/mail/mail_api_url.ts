import { mailUrl } from '#config/services'

/** Where the mail service's own API is: `POST /send-mail`. */
export const mailApiUrl = mailUrl
