/** A server's rejection, from its reply or from a bounce report. */
export interface Rejection {
  /** Enhanced status code (RFC 3463). */
  enhanced: string | null
  /** SMTP reply code (RFC 5321). */
  code: number | null
  text: string
}

/**
 * Status codes for a recipient that does not exist (RFC 3463): bad mailbox, bad domain, bad syntax, moved, null MX,
 * disabled. A full mailbox (5.2.2) and a policy (5.7.x) are missing, because they may change.
 */
const NO_RECIPIENT_CODES = ['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1']

/** Codes for a recipient that does not exist, in replies to RCPT TO without enhanced codes (RFC 5321, 4.2.3). */
const NO_MAILBOX_CODES = [550, 551, 553]

/**
 * Status codes that are undefined or too general. For these, the text of the reply decides whether the recipient
 * exists. The pattern excludes 5.1.7 and 5.1.8, which concern the sender, and 5.7.0, which is a policy.
 */
const UNDEFINED_STATUS_PATTERN = /^5\.(0\.\d+|[1-6]\.0|1\.(?![78]$)\d+)$/

/**
 * Texts that report a missing recipient. Yandex and Seznam send them with status 5.7.1, which other servers use for
 * policies about existing recipients.
 */
const NO_USER_PATTERN =
  /\b(?:no such (?:user|mailbox)|(?:unknown|invalid) (?:user|mailbox)|user unknown)\b/i

const RECIPIENT = '(?:users?|username|recipients?|addressee|mailbox|address|accounts?|alias)'
const OTHER_SUBJECT =
  '(?:servers?|services?|systems?|stores?|hosts?|networks?|connections?|databases?|directory|verification|attachments?|files?|mime|commands?|errors?|reasons?)'
const MISSING =
  `(?:(?:unknown|invalid)(?! (?:[\\w-]+ )?(?:${OTHER_SUBJECT}|structure|charset|encoding|certificate|message|body)\\b)|` +
  "not (?:be )?found|(?:was|could)n['’]?t (?:be )?found|not exist|not listed|not known|unavailable|disabled|deactivated|inactive|no longer)"
/**
 * Any text between the name of a recipient and its status, within one sentence. It does not reach past another subject.
 */
const GAP = String.raw`(?:(?!\b${OTHER_SUBJECT}\b|[.!?;]\s).){0,120}?`

const NO_RECIPIENT_PATTERN = new RegExp(
  [
    `\\bnot a (?:valid|known) ${RECIPIENT}\\b`,
    String.raw`\b(?:unknown|no such) local[- ]part\b`,
    `\\b(?:unknown|invalid|non-?existent|no such|no valid) (?:local[- ]?)?${RECIPIENT}\\b`,
    `\\b${RECIPIENT}\\b${GAP}\\b(?:${MISSING}|does(?:n['’]?t| not) (?:exist|have an?))\\b`,
    String.raw`\bno (?:mailbox|account|user) (?:here|by that name)\b`,
    String.raw`(?:unrouteable|unroutable) address\b`,
    String.raw`(?:RecipientNotFound|RecipNotFound)\b`,
    String.raw`find any host named\b`,
  ].join('|'),
  'i'
)

/**
 * Other reasons for a rejection, such as a full mailbox or a policy. Some texts name both a mailbox and such a reason.
 */
const OTHER_REASON_PATTERN =
  /\b(?:full|over ?quota|quota|exceed(?:s|ed|ing)?|storage|too (?:large|big|many|much|quickly)|at a rate|rate limit(?:ed)?|throttled|throttling|spam|spamming|junk|virus|malware|banned|block(?:ed|ing|list|listed)?|block list|black ?list(?:ed)?|reputation|policy|policies|prohibit(?:ed|ion)|restrict(?:ed|ion|ions)|denied|not (?:allowed|permitted|authorized|authorised)|relay(?:ing)?|temporary|temporarily|gr[ea]y ?list(?:ed|ing)?|try again|timed? ?out|loop|content|dmarc|spf|dkim|authenticated|unauthenticated|authentication|unsolicited|suspicious|suspended|senders?|headers?|helo|ehlo|ptr|ip|reverse|dns|rbl|dnsbl)\b/i

/** Email addresses, and any word in angle brackets. */
const ADDRESS_PATTERN = /<[^<>\s]{1,320}>|[^\s<>()[\]"',;:]{1,100}@[^\s<>()[\]"',;:]+/g

const HOST_PATTERN = /https?:\/\/\S+|\b(?:[a-z\d-]{1,63}\.)+[a-z]{2,}\b/g

function namesOtherReason(text: string): boolean {
  return OTHER_REASON_PATTERN.test(text.replaceAll(ADDRESS_PATTERN, ''))
}

/**
 * Returns whether the text says that the recipient does not exist, and names no other reason for the failure. Addresses
 * in the text are ignored.
 */
export function namesMissingRecipient(text: string): boolean {
  const prose = text.replaceAll(ADDRESS_PATTERN, '').replaceAll(HOST_PATTERN, '')
  return NO_RECIPIENT_PATTERN.test(prose) && !namesOtherReason(text)
}

/**
 * Returns whether a rejection means that the recipient does not exist, so that later attempts cannot succeed.
 * @param options.atRecipient whether the server rejected the recipient before it saw the message
 * @param options.byText whether the text is about the recipient, so that it may be used for the decision
 */
export function isHardBounce(
  { enhanced, code, text }: Rejection,
  { atRecipient = false, byText = true } = {}
): boolean {
  if (code !== null && code < 500) return false
  if (enhanced === '5.2.1') return !namesOtherReason(text)
  if (enhanced && NO_RECIPIENT_CODES.includes(enhanced)) return true
  if (enhanced === '5.7.1')
    return byText && NO_USER_PATTERN.test(text) && namesMissingRecipient(text)
  if (enhanced && !UNDEFINED_STATUS_PATTERN.test(enhanced)) return false
  if (byText && namesMissingRecipient(text)) return true
  const isNoMailbox = !enhanced && code !== null && NO_MAILBOX_CODES.includes(code)
  return atRecipient && isNoMailbox && !namesOtherReason(text)
}

/** An enhanced status code, but not a part of an IP address or a version number. */
const ENHANCED_STATUS_PATTERN = /(?<![\d.])[45]\.[0-7]\.\d{1,3}(?![\d.]*\d)/g
const REPLY_CODE_PATTERN = /(?:^|[\s;#>(])([45]\d\d)(?=[\s#-]|$)/

/**
 * Combines the status code in a bounce report with the server's reply that the report quotes. If the status is
 * unspecific, the reply decides, as in reports of Exim (`5.0.0`) and Exchange Online (`5.0.350`).
 * @param options.byText whether a mail program wrote the text, so that its words may show that the recipient does not
 *   exist
 */
export function parseRejection(
  status: string | null,
  text: string,
  options: { byText?: boolean } = {}
): Rejection & { hard: boolean } {
  const quoted = text.match(ENHANCED_STATUS_PATTERN) ?? []
  const isDefined = (one: string | null) => one !== null && !/^\d\.(0\.\d+|[1-6]\.0)$/.test(one)
  const reply = quoted.find(isDefined) ?? quoted[0] ?? null
  const enhanced = isDefined(status) ? status : (quoted.find(isDefined) ?? status ?? reply)
  const code = Number(REPLY_CODE_PATTERN.exec(text)?.[1] ?? 0) || null
  const rejection = { enhanced, code, text }
  const isReplyHard = !isDefined(reply) || isHardBounce({ ...rejection, enhanced: reply }, options)
  // If the report and the quoted reply disagree, assumes that the recipient exists.
  const hard = isReplyHard && isHardBounce(rejection, options) && !status?.startsWith('4')
  return { ...rejection, hard }
}
