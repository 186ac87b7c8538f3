import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection'
import { Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { sanitizeLine } from '../../service/sanitize_line.js'
import {
  attemptResultOfError,
  parseEnhancedStatus,
  type AttemptResult,
  type SendError,
} from './attempt_result.js'
import type { parseRelayUrl, MailRoute, MailServer } from './mail_route.js'

export type RelayServer = ReturnType<typeof parseRelayUrl>

/** Timeout for connecting, and then for the server's greeting. RFC 5321, 4.5.3.2 recommends a longer time. */
const RESPONSE_TIMEOUT_MS = 60_000
const SOCKET_TIMEOUT_MS = 600_000
/** Timeout for connecting and for the greeting, if the route has several servers. */
const CONNECT_TIMEOUT_MS = 20_000

export interface OutgoingMessage {
  from: string
  to: string
  raw: Buffer
}

export class ServerConnection {
  #usable = true
  /**
   * Resolves when the outcome of the previous message is committed. Until then, the content of the next message is not
   * sent. So if the process crashes, at most one accepted message per connection is sent twice.
   */
  written?: Promise<void>
  readonly tls: string | null

  readonly #line: SMTPConnection
  readonly #ours: boolean

  private constructor(
    line: SMTPConnection,
    readonly host: string,
    ours: boolean
  ) {
    this.#line = line
    this.#ours = ours

    const socket = line._socket
    this.tls = socket instanceof TLSSocket ? socket.getProtocol() : null
    line.on('error', () => (this.#usable = false))
    line.on('end', () => (this.#usable = false))
  }

  get usable(): boolean {
    return this.#usable
  }

  /**
   * Connects to the first server of the route that responds.
   * @throws the error of the last server, with its `host`
   */
  static async to(route: MailRoute, name: string | undefined): Promise<ServerConnection> {
    let failure: unknown
    for (const server of route.servers) {
      try {
        return await toServer(server, route, name)
      } catch (error) {
        failure = Object.assign(error as Error, { host: hostOf(server) })
      }
    }
    throw failure
  }

  static async toRelay(relay: RelayServer, name: string | undefined): Promise<ServerConnection> {
    const line = await open({
      ...(relay as SMTPConnectionOptions),
      ...(name && { name }),
      connectionTimeout: RESPONSE_TIMEOUT_MS,
      greetingTimeout: RESPONSE_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
    })
    const { auth } = relay
    if (auth) {
      await new Promise<void>((done, failed) =>
        line.login({ ...auth, credentials: auth } as never, (error) =>
          error ? failed(error) : done()
        )
      ).catch((error: unknown) => {
        line.close()
        throw error
      })
    }
    return new ServerConnection(line, `${relay.host}:${line.port}`, true)
  }

  static of(line: SMTPConnection, host: string): ServerConnection {
    return new ServerConnection(line, host, false)
  }

  async send(message: OutgoingMessage): Promise<Omit<AttemptResult, 'took'>> {
    const { host, tls } = this
    const envelope = {
      from: message.from,
      to: [message.to],
      size: message.raw.length,
      use8BitMime: /[\x80-\xff]/.test(message.raw.toString('latin1')),
    }
    try {
      const response = await new Promise<string>((done, failed) =>
        this.#line.send(envelope, this.#contentOf(message), (error, info) =>
          error ? failed(error) : done(info.response)
        )
      )
      const code = Number(response.slice(0, 3)) || 250
      const reply = {
        code,
        enhanced: parseEnhancedStatus(response),
        answer: sanitizeLine(response),
      }
      return { outcome: 'delivered', host, tls, ...reply, hard: false, broken: false }
    } catch (error) {
      const answer = attemptResultOfError(error as SendError, this.#ours)
      if (answer.broken) this.close()
      else await this.#reset()
      return { host, tls, ...answer }
    }
  }

  #contentOf({ raw }: OutgoingMessage): Buffer | Readable {
    const { written } = this
    if (!written) return raw
    return new Readable({
      read() {
        void written.then(() => {
          this.push(raw)
          this.push(null)
        })
      },
    })
  }

  close(): void {
    this.#usable = false
    this.#line.close()
  }

  quit(): void {
    if (!this.#usable) return
    this.#usable = false
    this.#line.quit()
  }

  /** Resets the SMTP session after a rejected message, so that the connection can be reused. */
  async #reset(): Promise<void> {
    if (!this.#usable) return
    await new Promise<void>((done) => {
      const settled = () => {
        this.#line.removeListener('end', settled)
        done()
      }
      this.#line.once('end', settled)
      this.#line.reset((error) => {
        if (error) this.close()
        settled()
      })
    })
  }
}

function hostOf(server: MailServer): string {
  return `${server.name}[${server.address}]`
}

async function toServer(
  server: MailServer,
  route: MailRoute,
  name: string | undefined
): Promise<ServerConnection> {
  const timeoutMs = route.servers.length > 1 ? CONNECT_TIMEOUT_MS : RESPONSE_TIMEOUT_MS
  const options: SMTPConnectionOptions = {
    host: server.address,
    port: server.port,
    secure: false,
    servername: server.name,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: SOCKET_TIMEOUT_MS,
    ...(name && { name }),
    allowInternalNetworkInterfaces: true,
  }
  if (route.verified) {
    const line = await open({ ...options, requireTLS: true, tls: { minVersion: 'TLSv1.2' } })
    return ServerConnection.of(line, hostOf(server))
  }
  const taken = { ...options, opportunisticTLS: true, tls: { rejectUnauthorized: false } }
  const line = await open(taken).catch((error: SendError) => {
    // Delivers without TLS if the handshake failed, as opportunistic TLS allows (RFC 7435).
    if (error.code !== 'ETLS') throw error
    return open({ ...options, ignoreTLS: true })
  })
  return ServerConnection.of(line, hostOf(server))
}

function open(options: SMTPConnectionOptions): Promise<SMTPConnection> {
  const line = new SMTPConnection(options)
  return new Promise((done, failed) => {
    line.once('error', failed)
    line.once('end', () => failed(new Error('The server closed the connection')))
    line.connect((error) => {
      if (error) return failed(error)
      line.removeListener('error', failed)
      line.on('error', () => {})
      done(line)
    })
  })
}
