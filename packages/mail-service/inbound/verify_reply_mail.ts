import { authenticate, type AuthenticateResult } from 'mailauth'
import { simpleParser, type ParsedMail } from 'mailparser'
import { htmlToText } from '../parsing/html_text.js'
import { inboundTextParser } from '../parsing/untrusted_text_parser.js'
import { singleMailboxOf, readHeader } from '../smtp/headers.js'
import type { DnsResolver } from '../delivery/dns.js'

/** A reply to one of Berth's own emails. Its sender is authenticated. */
export interface ReplyMail {
  messageId: string
  sender: string
  /**
   * Message-IDs in `In-Reply-To` and `References`: first that of the email that the reply answers, then that of the
   * email before, and so on.
   */
  refs: string[]
  body: string
}

export type VerifyReplyMailResult =
  | { reply: ReplyMail }
  /** Mail from a program or a mailing list, or with an empty envelope sender. It is accepted, but not stored. */
  | { ignored: true }
  | { refused: [number, string] }

export interface InboundEnvelope {
  ip: string
  helo: string
  /** Envelope sender. Empty for delivery reports. */
  mailFrom: string
}

const MAX_BODY_LENGTH = 50_000
const MAX_REFERENCES = 50

/** Its sender is not verified yet. */
export type ParsedReplyMail =
  | { ignored: true }
  | { refused: [number, string] }
  | { sender: string; refs: string[]; messageId: string; body: string }

/** @param fromNobody whether the envelope sender is empty */
export async function parseReplyMail(
  raw: Buffer,
  { fromNobody }: { fromNobody: boolean }
): Promise<ParsedReplyMail> {
  const mail = await simpleParser(raw, {
    skipImageLinks: true,
    skipTextToHtml: true,
    skipHtmlToText: true,
  })
  if (fromNobody || isAutomatic(mail)) return { ignored: true }
  // mailparser and mailauth use the same address parser, which may misread an unusual From field. So our own stricter
  // parser must find the same address as mailparser.
  const sender = singleMailboxOf(readHeader(raw).fields, 'from')?.toLowerCase()
  const from = mail.from?.value ?? []
  if (!sender || from.length !== 1 || from[0]!.address?.toLowerCase() !== sender) {
    return { refused: [550, '5.6.0 From must name exactly one mailbox'] }
  }
  const refs = referencesOf(mail)
  if (refs.length === 0 || !mail.messageId) {
    return { refused: [550, '5.1.1 This address accepts only replies to our emails'] }
  }
  return { sender, refs, messageId: mail.messageId, body: bodyOf(mail) }
}

/**
 * Verifies that the address in the From field is genuine. As in DMARC (RFC 9989), DKIM (RFC 6376) or SPF (RFC 7208)
 * must pass for its domain. The domain needs no DMARC policy.
 */
export async function verifyReplyMail(
  raw: Buffer,
  sent: InboundEnvelope,
  names: DnsResolver
): Promise<VerifyReplyMailResult> {
  const answer = await inboundTextParser.answer(raw, !sent.mailFrom)
  if (!('sender' in answer)) return answer
  const { sender, refs, messageId, body } = answer
  const proven = await authenticate(raw, {
    ip: sent.ip,
    helo: sent.helo,
    sender: sent.mailFrom,
    mta: 'berth',
    disableArc: true,
    disableBimi: true,
    resolver: resolverOf(names) as never,
  })
  const authentication = evaluateAuthentication(proven, sender)
  if (authentication === 'later')
    return { refused: [451, '4.7.5 The name servers of your domain do not respond'] }
  if (authentication === 'no') {
    const problem =
      '5.7.26 Neither SPF nor DKIM confirms that this email is from you. Reply on the page instead'
    return { refused: [550, problem] }
  }
  return { reply: { messageId, sender, refs, body } }
}

function evaluateAuthentication({ dkim, spf, dmarc }: AuthenticateResult, sender: string) {
  if (!dmarc) return 'no'
  const { result } = dmarc.status
  if (result === 'temperror') return 'later'
  // A DKIM signature over a part of the body does not prove that the rest of the body is genuine.
  const signed = dkim.results.some(
    ({ status }) => status.result === 'pass' && status.aligned && !status.underSized
  )
  const domain = sender.slice(sender.lastIndexOf('@') + 1)
  const bySpf = spf && spf.status.result === 'pass' ? spf.domain.toLowerCase() : null
  if (result === 'pass') {
    return signed || (bySpf && dmarc.alignment?.spf?.result) ? 'yes' : 'no'
  }
  return result === 'none' && (signed || bySpf === domain) ? 'yes' : 'no'
}

/** Returns whether a program (RFC 3834) or a mailing list sent the mail, and not a person. */
function isAutomatic({ headerLines }: ParsedMail): boolean {
  const of = (name: string) => {
    const line = headerLines.find(({ key }) => key === name)?.line.toLowerCase() ?? ''
    return line.slice(line.indexOf(':') + 1).trim()
  }
  if (of('auto-submitted') && !of('auto-submitted').startsWith('no')) return true
  return /bulk|junk|list|auto_reply/.test(of('precedence')) || of('list-id') !== ''
}

function referencesOf({ inReplyTo, references = [] }: ParsedMail): string[] {
  const all = [inReplyTo ?? '', ...[references].flat().toReversed()]
  const ids = all.flatMap((text) => text.match(/<[^<>\s]{1,300}>/g) ?? [])
  return [...new Set(ids)].slice(0, MAX_REFERENCES)
}

/**
 * Returns the reply's text. If it had attachments, adds a note that they were removed, because the chat cannot store
 * attachments from emails.
 */
function bodyOf({ text, html, attachments }: ParsedMail): string {
  const files = attachments.filter(({ related }) => !related).length
  const subject = files === 1 ? '1 attachment was' : `${files} attachments were`
  const note = files ? `(${subject} not included. Send files on the page.)\n\n` : ''
  return `${note}${text || htmlToText(html || '')}`.replaceAll('\0', '').slice(0, MAX_BODY_LENGTH)
}

function resolverOf(names: DnsResolver) {
  return async (name: string, type: string): Promise<unknown[]> => {
    if (type === 'TXT') return (await names.txt(name)).map((text) => [text])
    if (type === 'MX') return names.mx(name)
    if (type === 'A' || type === 'AAAA') {
      const addresses = await names.addresses(name)
      const matching = addresses.filter((address) => address.includes(':') === (type === 'AAAA'))
      if (matching.length) return matching
    }
    throw Object.assign(new Error('No such record'), { code: 'ENODATA' })
  }
}
