/** More than anybody needs, few enough that one account cannot fill the service. */
export const MAX_SENDERS = 100
export const MAX_DOMAINS = 20
/** Webhooks of one sender. */
export const MAX_WEBHOOKS_PER_SENDER = 10

/** How long a link can verify an address, in hours. */
export const LINK_LIFETIME_HOURS = 24
/** Seconds after which a link can be sent again. */
export const LINK_RESEND_INTERVAL_SECONDS = 60
/** Links that an account can have sent in an hour, and that one address can get in a day, whoever asks. */
export const MAX_LINKS_PER_ACCOUNT_PER_HOUR = 30
export const MAX_LINKS_PER_EMAIL_PER_DAY = 10

/** Messages, suppressions and deliveries of one page of a list. */
export const ROWS_PER_PAGE = 50
/** Days that the addresses of a domain stay verified although its records are wrong. */
export const DOMAIN_GRACE_DAYS = 7
