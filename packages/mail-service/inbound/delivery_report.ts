import { simpleParser, type Attachment, type ParsedMail } from 'mailparser'
import { sanitizeLine } from '../../service/sanitize_line.js'
import { namesMissingRecipient, parseRejection } from '../delivery/hard_bounce.js'

export type DeliveryReport =
  | { type: 'bounced'; hard: boolean; code: number | null; enhanced: string | null; detail: string }
  | { type: 'complained'; detail: string; returnPath: string | null }

/**
 * Parses a non-delivery report (RFC 3464), a complaint (RFC 5965) or a plain-text bounce of older servers. Returns
 * undefined for other mail, such as delays, delivery receipts and vacation replies.
 * @param options.fromNobody whether the envelope sender is empty. Only then is a plain-text bounce accepted
 */
export async function parseBounceOrComplaintMail(
  raw: Buffer,
  options: { fromNobody: boolean }
): Promise<DeliveryReport | undefined> {
  const mail = await simpleParser(raw, {
    keepDeliveryStatus: true,
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
    ignoreEmbedded: true,
    checksumAlgo: false,
  })
  const status =
    part(mail, 'message/delivery-status') ?? part(mail, 'message/global-delivery-status')
  if (status) return nonDelivery(status, mail.text ?? '')
  const feedback = part(mail, 'message/feedback-report')
  if (feedback) return complaint(feedback, mail)
  return options.fromNobody ? oldBounce(mail) : undefined
}

function part(mail: ParsedMail, type: string): string | undefined {
  const attachment = mail.attachments.find((each: Attachment) => each.contentType === type)
  return attachment?.content.toString('utf8')
}

/**
 * Parses a report. It has one block of fields for the message, and one for each recipient. Messages of this service
 * have one recipient.
 * @param explanation the report's text for people. It is used if the report contains no reply of a server
 * (`Diagnostic-Code`)
 */
function nonDelivery(report: string, explanation: string): DeliveryReport | undefined {
  for (const block of report.split(/\r?\n[ \t]*\r?\n/)) {
    const fields = fieldsOf(block)
    if (!/^failed\b/i.test(fields.get('action') ?? '')) continue
    const status = /^[45]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? null
    const diagnostic = (fields.get('diagnostic-code') ?? '').replace(/^smtp;\s*/i, '')
    const { text: reason, ...rejection } = parseRejection(
      status,
      diagnostic || (failureLine(explanation) ?? '')
    )
    const detail = sanitizeLine(
      reason || `The message could not be delivered (${rejection.enhanced ?? 'no reason'})`
    )
    return { type: 'bounced', ...rejection, detail }
  }
  return undefined
}

/** Feedback types that are not complaints: "not spam", and reports about failed authentication (RFC 6591). */
const NON_COMPLAINT_TYPES = ['not-spam', 'auth-failure', 'dmarc']

function complaint(text: string, mail: ParsedMail): DeliveryReport | undefined {
  const fields = fieldsOf(text)
  const type = (fields.get('feedback-type') ?? '').toLowerCase()
  if (!type || NON_COMPLAINT_TYPES.includes(type)) return undefined
  const original = part(mail, 'message/rfc822') ?? part(mail, 'text/rfc822-headers') ?? ''
  const from = fields.get('original-mail-from') ?? fieldsOf(original).get('return-path') ?? ''
  const agent = fields.get('user-agent')
  return {
    type: 'complained',
    detail: sanitizeLine(agent ? `${type}, reported by ${agent}` : type, 200),
    returnPath: lastAddressOf(from),
  }
}

function lastAddressOf(field: string): string | null {
  const last = field
    .split(/[<>\s]+/)
    .filter(Boolean)
    .at(-1)
  return last?.includes('@') ? last : null
}

/** Words in From or Subject by which older servers announce a bounce. */
const BOUNCE_PATTERN = /mailer-daemon|postmaster|mail delivery|undeliver|not delivered|fail|return/i

/** From addresses of programs that write bounces. If the From field matches, the text was not written by a person. */
const PROGRAM_PATTERN =
  /(?:mailer|mail|m)[-_ ]?daemon|postmaster|mail (?:delivery|system|administrator)|system administrator/i

/** A permanent status code (RFC 5321, RFC 3463). */
const PERMANENT_ERROR_PATTERN = /(?:^|[\s(:#])(?:(5\d\d)[ -](?=\D|5\.)|(5\.\d{1,3}\.\d{1,3})\b)/

/** Words with which a server reports that it is still trying to deliver a message. */
const DELAY_PATTERN = /\b(delay(ed)?|warning|still being retried)\b/i

/** Parses a bounce without a machine-readable part, such as a bounce of qmail. */
function oldBounce(mail: ParsedMail): DeliveryReport | undefined {
  const from = mail.from?.text ?? ''
  // Automatic replies are ignored, but Exim marks its bounces as automatic replies too.
  const isDaemon = mail.headers.has('x-failed-recipients') || /mailer-daemon/i.test(from)
  const isReply = /auto-replied/i.test(String(mail.headers.get('auto-submitted') ?? ''))
  if (isReply && !isDaemon) return undefined
  if (!BOUNCE_PATTERN.test(`${from} ${mail.subject ?? ''}`)) return undefined
  if (DELAY_PATTERN.test(mail.subject ?? '')) return undefined
  // Uses the text to decide whether the recipient exists, but only if a program wrote it. A person's reply always has a
  // From field.
  const byText = isDaemon || !from || PROGRAM_PATTERN.test(from)
  const line = failureLine(mail.text ?? '', { byText })
  if (!line) return undefined
  const { text, ...rejection } = parseRejection(null, line, { byText })
  return { type: 'bounced', ...rejection, detail: sanitizeLine(text) }
}

/** First line of the copy of the original message in a report. The copy is ignored, because it may contain any text. */
const ORIGINAL_PATTERN =
  /^--.*(original|copy of the message|below this line|headers|included)|^Return-Path:/im

/** Text of a server that stopped trying after repeated temporary errors. */
const EXPIRED_PATTERN = /\(#4\.\d+\.\d+\)|retry timeout exceeded/

/**
 * Returns the line that gives the reason: the first one with a permanent status code, otherwise (with `byText`) the
 * first one that reports a missing recipient, otherwise the first one that says that the server stopped trying.
 */
function failureLine(explanation: string, { byText = true } = {}): string | undefined {
  const text = explanation.slice(0, 20_000)
  const original = ORIGINAL_PATTERN.exec(text)?.index ?? text.length
  const lines = text.slice(0, original).split(/\r?\n/)
  return (
    lines.find((line) => PERMANENT_ERROR_PATTERN.test(line)) ??
    (byText ? lines.find(namesMissingRecipient) : undefined) ??
    lines.find((line) => EXPIRED_PATTERN.test(line))
  )
}

/** Parses header fields, including folded ones. If a name occurs repeatedly, only its first value is used. */
function fieldsOf(block: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of block.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    if (line === '') {
      if (fields.size > 0) break
      continue
    }
    const [, name, value] = /^([A-Za-z0-9-]+):\s*(.*)$/.exec(line) ?? []
    if (name && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value!.trim())
  }
  return fields
}
