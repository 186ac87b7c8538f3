import type { EmailAddress } from '../addresses.js'
import { isSameAddress } from '../addresses.js'
import {
  MAX_ATTACHMENTS,
  MAX_CUSTOM_HEADERS,
  MAX_LINE_BYTES,
  MAX_DISPLAY_NAME_LENGTH,
  MAX_SCHEDULE_DAYS,
  MAX_SUBJECT_LENGTH,
  MAX_TAG_LENGTH,
  MAX_TAGS,
} from '../limits.js'
import { FieldReader, isHeaderLine } from './field_reader.js'

export interface Attachment {
  filename: string
  type?: string
  content: Buffer
  /** Content-ID of an inline image. The HTML part refers to it as `cid:…`. */
  cid?: string
}

export interface Message {
  from: EmailAddress
  senderName: string
  to: EmailAddress
  recipientName: string
  replyTo?: string
  subject: string
  html?: string
  text?: string
  headers: Record<string, string>
  attachments: Attachment[]
  tags: string[]
  /** Time from which the message may be sent, as ISO 8601. */
  due?: string
  unsubscribe: boolean
}

/**
 * Header fields that API callers may set. They describe the content. Fields for the sender or the route are not
 * allowed.
 */
const ALLOWED_HEADER_PATTERN =
  /^(X-[A-Za-z0-9-]{1,60}|List-(Id|Help|Archive|Owner|Subscribe|Unsubscribe|Unsubscribe-Post)|In-Reply-To|References|Precedence|Auto-Submitted|Feedback-ID|Importance|Priority|Organization|Keywords|Comments)$/i
const TAG_PATTERN = /^[\w .:/-]+$/
/** Type, subtype and parameters of a content type (RFC 2045, 5.1). */
const CONTENT_TYPE_PATTERN =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+([ \t]*;[ \t]*[\w!#$&^.+*'%-]+=([\w!#$&^.+*'%:/-]+|"[^"\\]*"))*[ \t]*;?$/
const MAX_CONTENT_TYPE_BYTES = 255
const MS_PER_DAY = 86_400_000

/**
 * Validates the fields of an API call (`docs/guides/mail.md`) and returns the message. If they are invalid, returns the
 * errors by field.
 * @param email the sender's address
 * @param files attachments from a multipart form
 */
export function readMessage(
  input: Record<string, unknown>,
  email: string,
  files: Attachment[] = []
): Message | Record<string, string[]> {
  const fields = new FieldReader(input)
  const required = <T>(name: string, value: T | undefined): T | undefined => {
    if (value === undefined && !fields.errors[name]) fields.wrong(name, 'This field is required.')
    return value
  }
  const from = required('sender_email', fields.address('sender_email'))
  if (from && !isSameAddress(from.address, email)) {
    fields.wrong('sender_email', 'This key can only send from its own address.')
  }
  const to = required('recipient_email', fields.address('recipient_email'))
  const html = fields.text('mail_body')
  const text = fields.text('text_body')
  if (html === undefined && text === undefined && !fields.errors.mail_body) {
    fields.wrong('mail_body', 'A message needs mail_body (HTML) or text_body.')
  }
  const message = {
    from,
    to,
    html,
    text,
    senderName: fields.line('sender_name', MAX_DISPLAY_NAME_LENGTH) ?? '',
    recipientName: fields.line('recipient_name', MAX_DISPLAY_NAME_LENGTH) ?? '',
    subject: required('subject', fields.line('subject', MAX_SUBJECT_LENGTH)),
    replyTo: fields.address('reply_to')?.address,
    headers: headersOf(fields),
    attachments: [...attachmentsOf(fields), ...files],
    tags: tagsOf(fields),
    due: dueOf(fields),
    unsubscribe: fields.yes('unsubscribe'),
  }
  for (const { filename } of files) {
    if (!isHeaderLine(filename, 255)) fields.wrong('attachments', 'A file has no valid name.')
  }
  if (message.attachments.length > MAX_ATTACHMENTS) {
    fields.wrong('attachments', `A message can have at most ${MAX_ATTACHMENTS} attachments.`)
  }
  return Object.keys(fields.errors).length ? fields.errors : (message as Message)
}

function headersOf(fields: FieldReader): Record<string, string> {
  const headers = fields.json('headers')
  if (headers === undefined) return {}
  if (!headers || typeof headers !== 'object' || Array.isArray(headers)) {
    fields.wrong('headers', 'Headers must be an object with header names and text values.')
    return {}
  }
  const entries = Object.entries(headers)
  if (entries.length > MAX_CUSTOM_HEADERS)
    fields.wrong('headers', `A message can have at most ${MAX_CUSTOM_HEADERS} headers.`)
  for (const [name, value] of entries) {
    if (!ALLOWED_HEADER_PATTERN.test(name))
      fields.wrong('headers', `The header ${name.slice(0, 60)} cannot be set.`)
    else if (!isHeaderLine(value, MAX_LINE_BYTES - name.length - 2)) {
      fields.wrong('headers', `The header ${name} must be one line of text.`)
    }
  }
  return headers as Record<string, string>
}

function tagsOf(fields: FieldReader): string[] {
  const input = fields.json('tags')
  if (input === undefined) return []
  const tags = Array.isArray(input) ? input : [input]
  if (tags.length > MAX_TAGS) fields.wrong('tags', `A message can have at most ${MAX_TAGS} tags.`)
  if (!tags.every((tag) => isHeaderLine(tag, MAX_TAG_LENGTH) && TAG_PATTERN.test(tag))) {
    fields.wrong(
      'tags',
      `Use 1 to ${MAX_TAG_LENGTH} letters, digits, spaces and . : / - _ for a tag.`
    )
  }
  return tags as string[]
}

function dueOf(fields: FieldReader): string | undefined {
  const value = fields.line('send_at', 40)
  if (value === undefined) return undefined
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:?\d\d)$/.test(value)
    ? Date.parse(value)
    : NaN
  if (Number.isNaN(time)) {
    return fields.wrong('send_at', 'Send a time with its time zone, such as 2026-11-23T18:30:00Z.')
  }
  if (time > Date.now() + MAX_SCHEDULE_DAYS * MS_PER_DAY) {
    return fields.wrong(
      'send_at',
      `A message can be scheduled at most ${MAX_SCHEDULE_DAYS} days ahead.`
    )
  }
  return time > Date.now() ? new Date(time).toISOString() : undefined
}

function attachmentsOf(fields: FieldReader): Attachment[] {
  const input = fields.json('attachments')
  if (input === undefined) return []
  if (!Array.isArray(input)) {
    fields.wrong('attachments', 'Attachments must be a list.')
    return []
  }
  return input.flatMap((one: unknown, index) => {
    const { filename, content, type, cid } = (one ?? {}) as Record<string, unknown>
    const wrong = (message: string) => {
      fields.wrong(`attachments.${index}`, message)
      return []
    }
    if (!isHeaderLine(filename, 255) || !filename) return wrong('An attachment needs a filename.')
    if (typeof content !== 'string' || !/^[A-Za-z0-9+/\s]*={0,2}$/.test(content.trimEnd())) {
      return wrong('The content of an attachment must be base64.')
    }
    const isType = (text: unknown): text is string =>
      isHeaderLine(text, MAX_CONTENT_TYPE_BYTES) && CONTENT_TYPE_PATTERN.test(text.trim())
    if (type !== undefined && !isType(type)) {
      return wrong('Send a content type such as application/pdf or text/csv; charset=utf-8.')
    }
    if (cid !== undefined && !(isHeaderLine(cid, 100) && /^[\w.@+-]+$/.test(cid))) {
      return wrong('Use letters, digits and . @ + - _ for a cid.')
    }
    return [{ filename, content: Buffer.from(content, 'base64'), type: type?.trim(), cid }]
  })
}
