import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { ServiceDatabase } from '../../service/database.js'
import { recordEvent, type RecordEventOptions } from '../events/record_event.js'
import type { OutgoingOptions } from '../outgoing_mail_types.js'
import { messageIdOfReturnPath, messageIdOfUnsubscribeAddress } from '../message_tokens.js'
import type { DnsResolver } from '../delivery/dns.js'
import { saveReplyMail, replyAddress } from './reply_mails.js'
import { verifyReplyMail } from './verify_reply_mail.js'
import { ParseLimitExceededError, inboundTextParser } from '../parsing/untrusted_text_parser.js'
import { normalizeLineEndings } from '../parsing/line_endings.js'
import { ConnectionLimit } from '../smtp/connection_limit.js'
import { mimeLimitProblem } from '../parsing/mime_limits.js'

/** Maximum size of an incoming mail. Reports need not contain the complete original message. */
const MAX_REPORT_BYTES = 5 * 1_048_576
const MAX_CLIENTS = 200
const MAX_CLIENTS_PER_NETWORK = 20
/** Milliseconds for which a connected server may finish its message when this service stops. */
const CLOSE_TIMEOUT_MS = 1_000

/**
 * Mailboxes to which mail providers send complaints. People also write to them (RFC 2142). An email from a person is
 * rejected, with a hint in the reply.
 */
const RFC_2142_MAILBOXES = ['abuse', 'postmaster']
const COMPLAINTS_MAILBOXES = ['complaints', 'abuse', 'postmaster']

/** Matches feedback reports (RFC 5965), including "not spam", which is no complaint. */
const FEEDBACK_REPORT_PATTERN = /^content-type:\s*message\/feedback-report\b/im

interface SmtpResponseError extends Error {
  responseCode: number
}

/**
 * Starts to receive bounces, complaints, unsubscribe requests and replies. Accepts mail only for addresses of this
 * service. Returns undefined if no inbound port is configured.
 */
export async function startInboundMail(deps: {
  database: ServiceDatabase
  options: OutgoingOptions
  names: DnsResolver
  eventOptions: RecordEventOptions
  log: (entry: object) => void
}): Promise<{ port: number; stop(): Promise<void> } | undefined> {
  const { database, options, names, eventOptions, log } = deps
  const { key, host, inboundPort, inboundHost, tls } = options
  if (inboundPort === undefined) return undefined

  const replies = replyAddress(options)?.toLowerCase()

  const server = new SMTPServer({
    name: host ?? 'localhost',
    banner: 'Only delivery reports and replies',
    size: MAX_REPORT_BYTES,
    authOptional: true,
    disableReverseLookup: true,
    ...tls,
    minVersion: 'TLSv1.2' as const,
    disabledCommands: tls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    socketTimeout: 60_000,
    logger: false,
    onRcptTo({ address }, session, done) {
      const known =
        messageIdOfReturnPath(key, address) ??
        messageIdOfUnsubscribeAddress(key, address) ??
        isFor(COMPLAINTS_MAILBOXES, address) ??
        isReply(address)
      if (!known) return done(smtpError(550, '5.1.1 There is no such address here'))
      // Accepts only one recipient per received message, because a report concerns only one sent message.
      if (session.envelope.rcptTo.length > 0)
        return done(smtpError(452, '4.5.3 Send to one recipient at a time'))
      done()
    },
    onData(stream, session, done) {
      take(stream, session).then(
        () => done(null),
        (error: unknown) => {
          const known = error as Partial<SmtpResponseError>
          if (!known.responseCode)
            log({ level: 40, msg: 'an incoming mail could not be processed', err: String(error) })
          done(known.responseCode ? (error as Error) : smtpError(451, '4.3.0 Try again later'))
        }
      )
    },
  })
  server.on('error', (error) => log({ level: 30, msg: 'mail inbound', err: String(error) }))

  async function take(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<void> {
    const chunks: Buffer[] = []
    // Reads the rest of a message that is too long, without storing it.
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (!stream.sizeExceeded) chunks.push(chunk)
    }
    if (stream.sizeExceeded) throw smtpError(552, '5.3.4 The report is too long')
    const { mailFrom, rcptTo } = session.envelope
    // Bounces of older servers contain single CR or LF characters. Repairs these line ends instead of rejecting the
    // mail.
    const raw = normalizeLineEndings(Buffer.concat(chunks))
    const wrong = mimeLimitProblem(raw)
    if (wrong) throw smtpError(554, `5.6.0 ${wrong}`)
    if (isReply(rcptTo[0]!.address)) return takeReply(raw, session)
    const unwanted = messageIdOfUnsubscribeAddress(key, rcptTo[0]!.address)
    // Only the message's recipient knows this address, so any email to it unsubscribes.
    if (unwanted) {
      const event = { messageId: unwanted, type: 'unsubscribed' as const, detail: 'By email' }
      return void (await recordEvent(
        database,
        { ...event, suppress: 'unsubscribed' },
        deps.eventOptions
      ))
    }
    const fromNobody = !mailFrom || mailFrom.address === ''
    let isPlainEmail = !fromNobody && !FEEDBACK_REPORT_PATTERN.test(raw.toString('latin1'))
    const report = await inboundTextParser.report(raw, fromNobody).catch((error: unknown) => {
      // Accepts and ignores reports that cannot be parsed. Rejects reports that exceed the limits.
      throwIfTooLong(error)
      isPlainEmail = false
    })
    if (!report && isPlainEmail && isFor(RFC_2142_MAILBOXES, rcptTo[0]!.address)) {
      throw smtpError(
        550,
        '5.7.1 Only complaints in the format of RFC 5965 are read here. Contact us on our website instead'
      )
    }
    if (!report) return
    const messageId =
      messageIdOfReturnPath(key, rcptTo[0]!.address) ??
      (report.type === 'complained' && report.returnPath
        ? messageIdOfReturnPath(key, report.returnPath)
        : undefined)
    if (!messageId) return
    const { type, detail } = report
    if (report.type === 'complained') {
      const complained = { messageId, type, detail, suppress: 'complained' as const }
      return void (await recordEvent(database, complained, eventOptions))
    }
    const { code, enhanced, hard } = report
    const suppress = hard ? { suppress: 'bounced' as const } : {}
    await recordEvent(
      database,
      { messageId, type, detail, code, enhanced, ...suppress },
      eventOptions
    )
  }

  async function takeReply(raw: Buffer, session: SMTPServerSession): Promise<void> {
    const { mailFrom } = session.envelope
    const answer = await verifyReplyMail(
      raw,
      {
        ip: session.remoteAddress,
        helo: session.hostNameAppearsAs || 'unknown',
        mailFrom: mailFrom ? mailFrom.address : '',
      },
      names
    ).catch((error: unknown) => {
      throwIfTooLong(error)
      throw error
    })
    if ('ignored' in answer) return
    if ('refused' in answer) throw smtpError(...answer.refused)
    if (!(await saveReplyMail(database, answer.reply))) {
      throw smtpError(452, '4.3.1 Too many replies are waiting. Try again later')
    }
  }

  function isReply(address: string): true | undefined {
    return address.toLowerCase() === replies || undefined
  }

  function isFor(mailboxes: string[], address: string): true | undefined {
    if (!host) return undefined
    const isOurs = (mailbox: string) => address.toLowerCase() === `${mailbox}@${host.toLowerCase()}`
    return mailboxes.some(isOurs) || undefined
  }

  const limit = new ConnectionLimit({ total: MAX_CLIENTS, perNetwork: MAX_CLIENTS_PER_NETWORK })
  const listener = createServer((socket) => {
    socket.on('error', () => {})
    if (!limit.admit(socket)) return void socket.end('421 4.3.2 Too many connections\r\n')
    ;(server as unknown as { connect(socket: Socket): void }).connect(socket)
  })
  listener.listen({ port: inboundPort, host: inboundHost ?? '0.0.0.0', reusePort: true })
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    async stop() {
      const closed = new Promise<void>((done) => listener.close(() => done()))
      await Promise.race([closed, wait(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
      // `server` itself does not listen on a port. Its `close` ends TLS handshakes, but not SMTP sessions.
      server.close()
      type Connection = { send(code: number, text: string): void; close(): void }
      for (const connection of server.connections as Set<Connection>) {
        connection.send(421, 'The service is shutting down')
        connection.close()
      }
    },
  }
}

function throwIfTooLong(error: unknown): void {
  if (error instanceof ParseLimitExceededError) throw smtpError(554, `5.6.0 ${error.message}`)
}

function smtpError(responseCode: number, message: string): SmtpResponseError {
  return Object.assign(new Error(message), { responseCode })
}
