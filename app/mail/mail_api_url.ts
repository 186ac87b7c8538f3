import { mailUrl } from '#config/services'

/** URL of the public API with which customers' programs send emails: `POST /send-mail`. */
export const mailApiUrl = mailUrl
