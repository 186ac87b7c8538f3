import { mailUrl } from '#config/services'

/** Public API: `POST /send-mail`. */
export const mailApiUrl = mailUrl
