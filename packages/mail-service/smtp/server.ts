import { createHash } from 'node:crypto'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { isLoopback, rateLimitNetwork } from '#packages/service/ip_network'
import { isSameAddress, parseEmailAddress } from '../addresses.js'
import type { SubmissionWriter, Submission } from '../accept/submission_writer.js'
import { MailError } from '../errors.js'
import type { MemoryBudget } from '../http/memory_budget.js'
import { newId } from '../ids.js'
import {
  MAX_IDEMPOTENCY_KEY_LENGTH,
  MAX_LINE_BYTES,
  MAX_MESSAGE_BYTES,
  MAX_SMTP_RECIPIENTS,
  MAX_SUBJECT_LENGTH,
} from '../limits.js'
import { hasBareLineEndings } from '../parsing/line_endings.js'
import { findTooLongLine } from '../parsing/line_length.js'
import type { Sender, SenderAuthenticator } from '../sender_authenticator.js'
import { ConnectionLimit } from './connection_limit.js'
import {
  completeSubmittedMessage,
  headerProblem,
  senderHeaderProblem,
  readHeader,
  unfoldedFieldValue,
  type HeaderField,
} from './headers.js'

export interface SmtpSubmissionDeps {
  senders: SenderAuthenticator
  commits: SubmissionWriter
  budget: MemoryBudget
  tls: { cert: string; key: string }
  /** Host name for generated Message-IDs. Default: the sender's domain. */
  host?: string
  log(entry: object): void
}

const MAX_CLIENTS = 500
/** Per network (`ConnectionLimit`), so that one instance cannot use up all connections. */
const MAX_CLIENTS_PER_ADDRESS = 50

/** An SMTP reply (RFC 5321, 4.2). smtp-server adds the enhanced status code. */
class Reply extends Error {
  constructor(
    readonly responseCode: number,
    message: string
  ) {
    super(message)
  }
}

/**
 * Starts a server that accepts mail by SMTP (RFC 6409). Keys, hourly and daily limits, and durability are the same as
 * in the HTTP API. Only programs on this host may send the password unencrypted. `port` 0: any free port.
 */
export async function startSmtpSubmissionServer(
  deps: SmtpSubmissionDeps,
  host: string,
  port: number
): Promise<{ port: number; stop(timeoutMs?: number): Promise<void> }> {
  const localServer = new SMTPServer({ ...optionsOf(deps), allowInsecureAuth: true })
  const remoteServer = new SMTPServer({ ...optionsOf(deps), ...signInByTls })
  for (const server of [localServer, remoteServer]) {
    server.on('error', (error) => deps.log({ level: 30, msg: 'submission', err: String(error) }))
  }
  const sockets = new Set<Socket>()
  const limit = new ConnectionLimit({ total: MAX_CLIENTS, perNetwork: MAX_CLIENTS_PER_ADDRESS })
  const listener = createServer((socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (!limit.admit(socket)) return void socket.end('421 4.3.2 Too many connections\r\n')
    const isLocal = isLoopback(socket.remoteAddress ?? '')
    const server = isLocal ? localServer : remoteServer
    ;(server as unknown as { connect(socket: Socket): void }).connect(socket)
  })
  listener.listen({ port, host, reusePort: true })
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    async stop(timeoutMs = 2_000) {
      const closed = new Promise<void>((done) => listener.close(() => done()))
      // Clients in the middle of a message have `timeoutMs` to finish it. `endIdle` disconnects all others at once.
      const timer = setTimeout(() => sockets.forEach((socket) => socket.destroy()), timeoutMs)
      for (const server of [localServer, remoteServer]) endIdle(server)
      await closed
      clearTimeout(timer)
    },
  }
}

/** Offers AUTH only after STARTTLS, so that remote programs cannot send their password unencrypted. */
const signInByTls: Pick<SMTPServerOptions, 'onConnect' | 'onSecure'> = {
  onConnect(session, done) {
    allow(session, session.secure)
    done()
  },
  onSecure(_socket, session, done) {
    allow(session, true)
    done()
  },
}

function allow(session: SMTPServerSession, auth: boolean): void {
  ;(session as { disabledCommands?: string[] }).disabledCommands = auth ? [] : ['AUTH']
}

function endIdle(server: SMTPServer): void {
  type Connection = { _dataStream: unknown; send(code: number, text: string): void; close(): void }
  for (const connection of server.connections as Set<Connection>) {
    if (connection._dataStream) continue
    connection.send(421, 'The service is shutting down')
    connection.close()
  }
}

function optionsOf(deps: SmtpSubmissionDeps): SMTPServerOptions {
  const { senders, tls, host } = deps
  return {
    ...tls,
    name: host ?? 'localhost',
    banner: 'Mail submission',
    minVersion: 'TLSv1.2',
    size: MAX_MESSAGE_BYTES,
    authMethods: ['PLAIN', 'LOGIN'],
    hideSMTPUTF8: true,
    hideENHANCEDSTATUSCODES: false,
    disableReverseLookup: true,
    logger: false,
    socketTimeout: 120_000,
    closeTimeout: 2_000,
    onAuth({ username, password }, session, done) {
      const who = rateLimitNetwork(session.remoteAddress)
      senders.check(username ?? '', password ?? '', who).then(
        (sender) => done(null, { user: sender }),
        (error: unknown) => done(authReply(deps, error))
      )
    },
    onMailFrom({ address }, session, done) {
      // smtp-server does not require authentication while AUTH is disabled.
      if (!session.user) return done(new Reply(530, 'Sign in first, after STARTTLS'))
      const { email } = senderOf(session)
      // Ignores the detail of a subaddress, because Berth replaces the envelope sender by its own return path anyway.
      // The address in the From field must equal the sender's address.
      if (!address || isSameAddress(withoutDetail(address), withoutDetail(email))) return done()
      done(new Reply(553, `This key sends from ${email} only. Set the envelope sender to it`))
    },
    onRcptTo({ address }, session, done) {
      const read = parseEmailAddress(address)
      if (typeof read === 'string') return done(new Reply(553, read))
      if (session.envelope.rcptTo.length >= MAX_SMTP_RECIPIENTS) {
        return done(new Reply(452, `At most ${MAX_SMTP_RECIPIENTS} recipients`))
      }
      done()
    },
    onData(stream, session, done) {
      take(deps, stream, session).then(
        (reply) => done(null, reply),
        (error: unknown) => done(dataReply(deps, error))
      )
    },
  }
}

/** Removes the detail of a subaddress such as `shop+orders@example.com` (RFC 5233). */
function withoutDetail(address: string): string {
  return address.replace(/^([^+@"]+)\+[^@"]*@/, '$1@')
}

function senderOf({ user }: SMTPServerSession): Sender {
  return user as unknown as Sender
}

async function take(
  deps: SmtpSubmissionDeps,
  stream: AsyncIterable<Buffer> & { sizeExceeded: boolean },
  session: SMTPServerSession
): Promise<string> {
  const share = deps.budget.open()
  const sender = senderOf(session)
  try {
    const raw = await readAll(stream, share.take)
    deps.senders.assertMayCall(sender)
    const tooLong = headerProblem(raw)
    if (tooLong) throw new Reply(552, tooLong)
    const line = findTooLongLine(raw)
    if (line) {
      throw new Reply(
        554,
        `Line ${line} has more than ${MAX_LINE_BYTES} bytes, which other mail servers reject. Fold a header line; encode text as quoted-printable or base64`
      )
    }
    const header = readHeader(raw)
    const wrong = senderHeaderProblem(header.fields, sender.email)
    if (wrong) throw new Reply(553, wrong)
    const recipients = session.envelope.rcptTo.map(({ address }) => address)
    const { ids, again } = await deps.commits.accept(
      await submissionOf(raw, header, sender, recipients, deps.host)
    )
    return again ? `Already queued as ${ids[0]}` : `Queued as ${ids[0]}`
  } catch (error) {
    if (error instanceof Reply) deps.senders.countRefused(sender)
    throw error
  } finally {
    share.close()
  }
}

/** Reads a message to its end, even if it is rejected. Otherwise smtp-server would interpret the rest as commands. */
async function readAll(
  stream: AsyncIterable<Buffer> & { sizeExceeded: boolean },
  take: (bytes: number) => void
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let failed: unknown
  for await (const chunk of stream) {
    if (stream.sizeExceeded || failed) chunks.length = 0
    else {
      try {
        take(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        failed = error
      }
    }
  }
  if (stream.sizeExceeded) throw new Reply(552, 'A message can have at most 25 MB')
  if (failed) throw failed
  const raw = Buffer.concat(chunks)
  if (hasBareLineEndings(raw))
    throw new Reply(554, 'Lines must end with CR LF; a bare CR or LF is not allowed')
  return raw
}

async function submissionOf(
  raw: Buffer,
  header: { fields: HeaderField[]; end: number },
  { id: sender, key, email }: Sender,
  recipients: string[],
  host = email.slice(email.lastIndexOf('@') + 1)
): Promise<Submission> {
  const { subject = '' } = await simpleParser(subjectField(header.fields))
  const content = newId()
  const messages = recipients.map((recipient) => {
    const { address, domain } = parseEmailAddress(recipient) as { address: string; domain: string }
    return {
      id: newId(),
      content,
      recipient: address,
      destination: domain,

      subject: subject
        .replace(/[\x00-\x1f\x7f]/g, ' ')
        .toWellFormed()
        .slice(0, MAX_SUBJECT_LENGTH),
    }
  })
  const whole = completeSubmittedMessage(raw, header, `${messages[0]!.id}@${host}`)
  const idempotency = idempotencyOf(header.fields, recipients, raw)
  return { sender, key, idempotency, contents: [{ id: content, raw: whole }], messages }
}

/**
 * Returns the beginning of the subject field. It is longer than a displayed subject may be, because decoding can make
 * it much shorter.
 */
function subjectField(fields: HeaderField[]): Buffer {
  const raw = fields.find(({ name }) => name === 'subject')?.raw ?? ''
  return Buffer.from(raw.slice(0, MAX_SUBJECT_LENGTH * 20), 'latin1')
}

function idempotencyOf(fields: HeaderField[], recipients: string[], raw: Buffer) {
  const field = fields.find(({ name }) => /^(x-)?idempotency-key$/.test(name))
  if (!field) return undefined
  const key = unfoldedFieldValue(field)
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > MAX_IDEMPOTENCY_KEY_LENGTH) {
    throw new Reply(
      554,
      `An idempotency key must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} ASCII characters`
    )
  }
  const hash = createHash('sha256').update(JSON.stringify(recipients)).update(raw)
  return { key, digest: hash.digest('hex') }
}

function authReply(deps: SmtpSubmissionDeps, error: unknown): Reply {
  if (error instanceof MailError && error.status < 500) {
    return new Reply(error.status === 429 ? 454 : 535, error.message)
  }
  const err = error instanceof Error ? String(error.cause ?? error.stack) : String(error)
  deps.log({ level: 50, msg: 'submission: a key could not be looked up', err })
  return new Reply(454, 'The key cannot be checked just now. Try again')
}

/** Converts an error to an SMTP reply. Rate limits and Berth's own faults become temporary errors (4xx). */
function dataReply(deps: SmtpSubmissionDeps, error: unknown): Reply {
  if (error instanceof Reply) return error
  const mailError = error instanceof MailError ? error : undefined
  if (mailError?.status === 429) return new Reply(450, mailError.message)
  if (mailError?.status === 403) return new Reply(554, mailError.message)
  if (mailError?.status === 409) return new Reply(554, mailError.message)
  if (mailError?.status === 401) return new Reply(535, mailError.message)
  const err = error instanceof Error ? String(error.cause ?? error.stack) : String(error)
  deps.log({ level: 50, msg: 'a message could not be accepted', err })
  return new Reply(451, 'The message could not be stored. Send it again')
}
