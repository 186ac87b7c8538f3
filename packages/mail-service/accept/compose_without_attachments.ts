import { wrap } from 'nodemailer/lib/base64'
import { foldLines } from 'nodemailer/lib/mime-funcs'
import MimeNode from 'nodemailer/lib/mime-node'
import { MAX_LINE_BYTES } from '../limits.js'

interface Mailbox {
  name: string
  address: string
}

export interface MessageWithoutAttachments {
  from: Mailbox
  to: Mailbox
  replyTo?: string
  subject: string
  /** Message-ID with angle brackets. */
  messageId: string
  date: Date
  headers: Record<string, string>
  text?: string
  html?: string
  /** MIME boundary, which must not occur in any part. */
  boundary: string
}

/** Bodies whose characters need no encoding (RFC 2045, 2.7). */
const PLAIN_BODY_PATTERN = /^[\t\r\n\x20-\x7e]*$/

/**
 * Composes a message of text and HTML (RFC 5322, RFC 2046). Once parsed, it equals a message of nodemailer's
 * MailComposer, but its bytes may differ. Takes a tenth of the time, because it uses no streams. Uses nodemailer's
 * functions to encode everything except plain ASCII.
 */
export function composeWithoutAttachments(message: MessageWithoutAttachments): Buffer {
  const { from, to, replyTo, subject, messageId, date, headers, text, html, boundary } = message
  const fields = [
    ...Object.entries(headers).map(([name, value]) => field(name, encoded(name, value))),
    field('From', mailbox('From', from)),
    field('To', mailbox('To', to)),
    replyTo && `Reply-To: ${replyTo}`,
    field('Subject', encoded('Subject', subject)),
    `Message-ID: ${messageId}`,
    `Date: ${date.toUTCString().replace('GMT', '+0000')}`,
    'MIME-Version: 1.0',
  ].filter(Boolean)
  // HTML that contains only images yields an empty text. The message then has no text part.
  const parts = [text && part('text/plain', text), html && part('text/html', html)].filter(Boolean)
  const head = fields.join('\r\n')
  if (parts.length === 1) {
    const end = parts[0]!.endsWith('\r\n') ? '' : '\r\n'
    return Buffer.from(`${head}\r\n${parts[0]}${end}`, 'latin1')
  }
  const type = `Content-Type: multipart/alternative;\r\n boundary="${boundary}"`
  const body = parts.map((one) => `--${boundary}\r\n${one}\r\n`).join('')
  return Buffer.from(`${head}\r\n${type}\r\n\r\n${body}--${boundary}--\r\n`, 'latin1')
}

function field(name: string, value: string): string {
  if (!value.trim()) return ''
  const line = `${name}: ${value}`
  return line.length < 76 ? line : foldLines(line, 76)
}

function encoded(name: string, value: string): string {
  // Other header fields have structured values, which nodemailer encodes.
  const isText = name === 'Subject' || /^(X|List)-/i.test(name)
  const isPlain = /^[\x20-\x7e]*$/.test(value) && !/"|=\?/.test(value)
  return isText && isPlain ? value : MimeNode.encodeHeaderValue(name, value)
}

function mailbox(field: string, { name, address }: Mailbox): string {
  if (!name) return address
  return /^[\w ]+$/.test(name)
    ? `${name} <${address}>`
    : MimeNode.encodeHeaderValue(field, { name, address })
}

function part(type: string, content: string): string {
  const split = content.split(/\r\n|\r|\n/)
  const lines = split.join('\r\n')
  const isPlain =
    PLAIN_BODY_PATTERN.test(lines) && split.every((line) => line.length <= MAX_LINE_BYTES)
  const encoding = isPlain ? '7bit' : 'base64'
  const body = isPlain ? lines : wrap(Buffer.from(lines).toString('base64'))
  return `Content-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`
}
