import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string
  raw: string
  messageId: string
  secure: boolean
}

export type SmtpStage = 'connect' | 'mail' | 'rcpt' | 'data'

/**
 * Decides the reply of the test server: an SMTP reply such as `550 5.1.1 No`, `hang` (no reply), `reset` (closes the
 * connection), or `undefined` (accepts).
 */
export type SinkBehaviour = (
  stage: SmtpStage,
  address: string
) => string | 'hang' | 'reset' | undefined

export interface SmtpSink {
  port: number
  letters: ReceivedMail[]
  connections: number
  behave: SinkBehaviour
  /** Returns whether no client is connected. If so, the server has read everything that was sent. */
  isIdle(): boolean
  stop(): Promise<void>
}

/** Starts a server that stores mail and responds as `behave` decides. */
export async function startSmtpSink(
  behave: SinkBehaviour = () => undefined,
  options: SMTPServerOptions = {}
): Promise<SmtpSink> {
  const letters: ReceivedMail[] = []
  const sockets = new Set<{ destroy(): void }>()
  const act = (
    stage: SmtpStage,
    address: string,
    id: string,
    done: (error?: Error | null) => void
  ) => {
    const wanted = sink.behave(stage, address)
    if (wanted === undefined) return done()
    if (wanted === 'hang') return
    if (wanted === 'reset') return void cut(id)
    const responseCode = Number(wanted.slice(0, 3))
    done(Object.assign(new Error(wanted.slice(4)), { responseCode }))
  }
  const cut = (id: string) => {
    for (const each of server.connections as unknown as Set<{
      id: string
      _socket: { destroy(): void }
    }>) {
      if (each.id === id) each._socket.destroy()
    }
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    hideSMTPUTF8: false,
    ...options,
    onConnect(session, done) {
      sink.connections++
      act('connect', '', session.id, done)
    },
    onMailFrom: ({ address }, session, done) => act('mail', address, session.id, done),
    onRcptTo: ({ address }, session, done) => act('rcpt', address, session.id, done),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo[0]!.address
        act('data', to, session.id, (error) => {
          if (error) return done(error)
          const raw = Buffer.concat(chunks).toString('latin1')
          const messageId = /^message-id:\s*(\S+)/im.exec(raw)?.[1] ?? ''
          const from = mailFrom ? mailFrom.address : ''
          letters.push({ from, to, raw, messageId, secure: session.secure })
          done(null)
        })
      })
    },
  })
  server.on('error', () => {})
  server.server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const sink: SmtpSink = {
    port: 0,
    letters,
    connections: 0,
    behave,
    isIdle: () => sockets.size === 0,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  sink.port = (server.server.address() as AddressInfo).port
  return sink
}

/** The sink may also have received mails for other recipients, such as Berth's own. */
export function receivedMailsTo({ letters }: SmtpSink, recipient: string): ReceivedMail[] {
  return letters.filter(({ to }) => to === recipient)
}
