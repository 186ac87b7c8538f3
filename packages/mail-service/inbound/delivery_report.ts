import { simpleParser, type Attachment, type ParsedMail } from 'mailparser'
import { sanitizeLine } from '../../service/sanitize_line.js'
import { isHardBounce } from '../delivery/attempt_result.js'

export type DeliveryReport =
  | { type: 'bounced'; hard: boolean; code: number | null; enhanced: string | null; detail: string }
  | { type: 'complained'; detail: string; returnPath: string | null }

/**
 * Parses a non-delivery report (RFC 3464), a complaint (RFC 5965) or a plain-text bounce of older servers.
 * Undefined for everything else, such as delays, delivery receipts and vacation replies.
 * @param options.fromNobody the envelope sender is empty, as in reports
 */
export async function parseDeliveryReport(
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
  const status = part(mail, 'message/delivery-status')
  if (status) return nonDelivery(status)
  const feedback = part(mail, 'message/feedback-report')
  if (feedback) return complaint(feedback, mail)
  return options.fromNobody ? oldBounce(mail) : undefined
}

function part(mail: ParsedMail, type: string): string | undefined {
  const attachment = mail.attachments.find((each: Attachment) => each.contentType === type)
  return attachment?.content.toString('utf8')
}

/** The report has a block for the message and one per recipient. Our messages have one recipient each. */
function nonDelivery(text: string): DeliveryReport | undefined {
  for (const block of text.split(/\r?\n[ \t]*\r?\n/)) {
    const fields = fieldsOf(block)
    if (fields.get('action')?.toLowerCase() !== 'failed') continue
    const enhanced = /^[45]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '')?.[0] ?? null
    const diagnostic = (fields.get('diagnostic-code') ?? '').replace(/^smtp;\s*/i, '')
    const code = Number(/^[45]\d\d\b/.exec(diagnostic)?.[0] ?? 0) || null
    const detail = sanitizeLine(
      diagnostic || `The message could not be delivered (${enhanced ?? 'no reason'})`
    )
    return { type: 'bounced', hard: isHardBounce(enhanced, code), code, enhanced, detail }
  }
  return undefined
}

/** "Not spam" and authentication failures (RFC 6591) are not complaints. */
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
    returnPath: /<?([^<>\s]+@[^<>\s]+?)>?$/.exec(from.trim())?.[1] ?? null,
  }
}

/** Older servers announce a bounce by these words in From or Subject. */
const BOUNCE_PATTERN = /mailer-daemon|postmaster|mail delivery|undeliver|not delivered|fail|return/i

/** A permanent status code (RFC 5321, RFC 3463) followed by text. */
const PERMANENT_ERROR_PATTERN = /(?:^|[\s(:#])(?:(5\d\d)[ -](?=\D|5\.)|(5\.\d{1,3}\.\d{1,3})\b)/

function oldBounce(mail: ParsedMail): DeliveryReport | undefined {
  if (/auto-replied/i.test(String(mail.headers.get('auto-submitted') ?? ''))) return undefined
  if (!BOUNCE_PATTERN.test(`${mail.from?.text ?? ''} ${mail.subject ?? ''}`)) return undefined
  const text = (mail.text ?? '').slice(0, 20_000)
  const line = text.split(/\r?\n/).find((each) => PERMANENT_ERROR_PATTERN.test(each))
  if (!line) return undefined
  const code = Number(/(?:^|[\s(:#])(5\d\d)[ -]/.exec(line)?.[1] ?? 0) || null
  const enhanced = /(?:^|[\s(#-])(5\.\d{1,3}\.\d{1,3})\b/.exec(line)?.[1] ?? null
  return {
    type: 'bounced',
    hard: isHardBounce(enhanced, code),
    code,
    enhanced,
    detail: sanitizeLine(line),
  }
}

/** Unfolds the lines. If a name repeats, the first value counts. */
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
