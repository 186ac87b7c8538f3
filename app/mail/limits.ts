/** The maximum numbers are above normal use, but too low to fill the mail service. */
export const MAX_SENDERS = 100
export const MAX_DOMAINS = 20
export const MAX_WEBHOOKS_PER_SENDER = 10

export const LINK_LIFETIME_HOURS = 24
export const LINK_RESEND_INTERVAL_SECONDS = 60
export const MAX_LINKS_PER_ACCOUNT_PER_HOUR = 30
export const MAX_LINKS_PER_EMAIL_PER_DAY = 10

export const ROWS_PER_PAGE = 50
/** Days during which a domain's senders stay verified after its DNS records became wrong. */
export const DOMAIN_GRACE_DAYS = 7
