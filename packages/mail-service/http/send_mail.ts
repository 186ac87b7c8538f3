import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { clientAddress, type createTrustedProxyCheck } from '#packages/proxies/trusted_proxies'
import { rateLimitNetwork } from '#packages/service/ip_network'
import { composeMessage, type ComposeOptions } from '../accept/compose.js'
import type { SubmissionWriter, NewMessage, Submission } from '../accept/submission_writer.js'
import { readMessage, type Attachment, type Message } from '../accept/message.js'
import { MailError, mailErrors, retryAfterHeaders } from '../errors.js'
import { newId } from '../ids.js'
import { HtmlTooComplexError } from '../parsing/html_text.js'
import { findTooLongLine } from '../parsing/line_length.js'
import { ParseLimitExceededError, ParserBusyError } from '../parsing/untrusted_text_parser.js'
import {
  MAX_BATCH_MESSAGES,
  MAX_IDEMPOTENCY_KEY_LENGTH,
  MAX_LINE_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_MESSAGE_TEXT_BYTES,
} from '../limits.js'
import type { Sender, SenderAuthenticator } from '../sender_authenticator.js'
import { readBody } from './body.js'
import type { MemoryBudget } from './memory_budget.js'

export interface SendDeps {
  senders: SenderAuthenticator
  commits: SubmissionWriter
  budget: MemoryBudget
  isProxy: ReturnType<typeof createTrustedProxyCheck>
  composing: Pick<ComposeOptions, 'key' | 'publicUrl' | 'inbound'> & { host?: string }
}

/** Handles `POST /send-mail`: one message, or a batch that is accepted completely or not at all. */
export async function handleSendMail(
  deps: SendDeps,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  if (request.method !== 'POST') throw mailErrors.method(undefined, { headers: { Allow: 'POST' } })
  const name = headerOf(request, 'x-access-key-id')
  const secret = headerOf(request, 'x-secret-key')
  if (!name || !secret) throw mailErrors.noKey()
  const sender = await deps.senders.check(name, secret, peerOf(deps, request))
  deps.senders.assertMayCall(sender)
  const share = deps.budget.open()
  try {
    const { fields, files, plainBytes } = await readBody(request, share.take)
    assertPlain(plainBytes, fields)
    const messages = messagesOf(fields, files, sender)
    const submission = await submissionOf(deps, sender, messages, share.take)
    const key = idempotencyOf(request, fields)
    if (key !== undefined) submission.idempotency = { key, digest: digestOf(messages) }
    const { ids, again } = await deps.commits.accept(submission)
    const text = again
      ? 'This message was already accepted. It is not sent twice.'
      : acceptedMessage(messages.length)
    const isBatch = fields.messages !== undefined
    const result = { success: true, message: text, id: ids[0], ...(isBatch && { ids }) }
    const body = JSON.stringify(result)
    // Without a Content-Length, the response would be chunked, and Node would write each chunk separately.
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    })
    response.end(body)
  } catch (error) {
    const isForContent = error instanceof MailError && [400, 413, 415, 422].includes(error.status)
    if (isForContent) deps.senders.countRefused(sender)
    throw error
  } finally {
    share.close()
  }
}

/** @throws MailError 413 if a message without its attachments has more than `MAX_MESSAGE_TEXT_BYTES` */
function assertPlain(bytes: number, { messages: batch }: Record<string, unknown>): void {
  if (bytes <= MAX_MESSAGE_TEXT_BYTES) return
  if (!Array.isArray(batch)) throw mailErrors.tooMuchText()
  for (const [index, message] of batch.entries()) {
    const plain = JSON.stringify(message, (name, value: unknown) =>
      name === 'attachments' ? undefined : value
    )
    if (Buffer.byteLength(plain) <= MAX_MESSAGE_TEXT_BYTES) continue
    const problem = `Message ${index} of the batch can have at most 1 MB without its attachments.`
    throw mailErrors.tooMuchText(problem, { index })
  }
}

function acceptedMessage(count: number): string {
  return count === 1 ? 'Message accepted.' : `${count} messages accepted.`
}

function messagesOf(
  fields: Record<string, unknown>,
  files: Attachment[],
  { email }: Sender
): Message[] {
  const { messages: batch } = fields
  if (batch === undefined) {
    const message = readMessage(fields, email, files)
    if (isMessage(message)) return [message]
    throw invalid(message)
  }
  if (!Array.isArray(batch) || batch.length < 1 || batch.length > MAX_BATCH_MESSAGES) {
    throw invalid({ messages: [`A batch must have 1 to ${MAX_BATCH_MESSAGES} messages.`] })
  }
  return batch.map((one: unknown, index) => {
    const isObject = one && typeof one === 'object' && !Array.isArray(one)
    const message = readMessage(isObject ? (one as Record<string, unknown>) : {}, email)
    if (isMessage(message)) return message
    const errors = Object.entries(message).map(([name, problems]): [string, string[]] => [
      `messages.${index}.${name}`,
      problems,
    ])
    throw invalid(Object.fromEntries(errors), index)
  })
}

function isMessage(read: Message | Record<string, string[]>): read is Message {
  return 'from' in read && !Array.isArray(read.from)
}

function invalid(errors: Record<string, string[]>, index?: number): MailError {
  const [[name, [problem]]] = Object.entries(errors) as [[string, string[]]]
  const where = index === undefined ? '' : `Message ${index} of the batch: `
  return mailErrors.invalid(`${where}${name}: ${problem}`, { errors, index })
}

async function submissionOf(
  { composing }: SendDeps,
  { id: sender, key, trackOpens }: Sender,
  messages: Message[],
  take: (bytes: number) => void
): Promise<Submission> {
  const contents: Submission['contents'] = []
  const drafts: NewMessage[] = []
  for (const [index, message] of messages.entries()) {
    // This ID identifies both the message and its content, because no other message uses that content.
    const id = newId()
    const raw = await composeMessage(message, {
      ...composing,
      id,
      trackOpens,
      sender: String(sender),
      host: composing.host ?? message.from.domain,
    }).catch((error: unknown) => {
      if (error instanceof ParserBusyError)
        throw mailErrors.busy(error.message, retryAfterHeaders(5))
      if (!(error instanceof HtmlTooComplexError || error instanceof ParseLimitExceededError))
        throw error
      const problem = `${error.message} Send simpler HTML, or send the text as text_body.`
      if (messages.length === 1) throw invalid({ mail_body: [problem] })
      throw invalid({ [`messages.${index}.mail_body`]: [problem] }, index)
    })
    // Counts the composed message too, because it can be much longer than its HTML.
    take(raw.length)
    // Lets the event loop handle other requests between the messages of a batch.
    if (messages.length > 1) await setImmediate()
    if (raw.length > MAX_MESSAGE_BYTES) {
      if (messages.length === 1) throw mailErrors.tooLarge()
      throw mailErrors.tooLarge(`Message ${index} of the batch can have at most 25 MB.`, { index })
    }
    // A message as an attachment must not be encoded (RFC 2046, 5.2.1), so it may still contain lines that are too
    // long.
    if (findTooLongLine(raw)) {
      const problem = `An attached message has a line of more than ${MAX_LINE_BYTES} bytes, which other mail servers reject. Attach it as application/octet-stream.`
      if (messages.length === 1) throw invalid({ attachments: [problem] })
      throw invalid({ [`messages.${index}.attachments`]: [problem] }, index)
    }
    contents.push({ id, raw })
    drafts.push({
      id,
      content: id,
      subject: message.subject,
      tags: message.tags,
      due: message.due,
      recipient: message.to.address,
      destination: message.to.domain,
    })
  }
  return { sender, key, contents, messages: drafts }
}

function idempotencyOf(
  request: IncomingMessage,
  fields: Record<string, unknown>
): string | undefined {
  const key = headerOf(request, 'idempotency-key') ?? fields.idempotency_key
  if (key === undefined) return undefined

  if (
    typeof key !== 'string' ||
    !/^[\x20-\x7e]+$/.test(key) ||
    key.length > MAX_IDEMPOTENCY_KEY_LENGTH
  ) {
    throw invalid({ idempotency_key: [`Use 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} ASCII characters.`] })
  }
  return key
}

/**
 * Hashes the fields of the request, because a repeated call must have the same digest. The composed messages differ
 * with each call.
 */
function digestOf(messages: Message[]): string {
  const hash = createHash('sha256')
  for (const { attachments, ...message } of messages) {
    hash.update(JSON.stringify([message, attachments.length]))
    for (const { content, ...about } of attachments) {
      hash.update(JSON.stringify([about, content.length])).update(content)
    }
  }
  return hash.digest('hex')
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns the network of the caller's address. Trusted proxies report the address in `X-Forwarded-For`. */
function peerOf({ isProxy }: SendDeps, { socket, headers }: IncomingMessage): string {
  const named = headers['x-forwarded-for'] as string | undefined
  return rateLimitNetwork(clientAddress(socket.remoteAddress ?? '', named, isProxy))
}
