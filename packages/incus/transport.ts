import { connect as netConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { X509Certificate } from 'node:crypto'
import type { Duplex, Readable } from 'node:stream'
import { Agent, Client, type Dispatcher } from 'undici'
import WebSocket from 'ws'
import { IncusError } from './errors.ts'

export interface RemoteIncusTarget {
  url: string
  /** Client certificate with its private key, in PEM format. */
  cert: string
  key: string
  /** The only server certificate to accept (PEM). Its host names and dates are not checked. */
  serverCertificate: string
}

export interface RequestOptions {
  query?: Record<string, string | number | boolean | undefined>
  json?: unknown
  body?: Readable | Buffer | string
  headers?: Record<string, string>
  /** If-Match header: the write succeeds only if the resource still has this etag. */
  etag?: string
  /** Seconds until the response headers must arrive. Default 60. */
  timeout?: number
  signal?: AbortSignal
}

export interface IncusResponse<T> {
  metadata: T
  /** Empty if the server sent none. */
  etag: string
  /** Path of the operation, if Incus responded asynchronously. Otherwise null. */
  operation: string | null
}

interface Envelope {
  type: 'sync' | 'async' | 'error'
  metadata: unknown
  operation?: string
  error?: string
  error_code?: number
}

/** Sends HTTP, WebSocket and raw upgrade requests over a Unix socket, or over TLS with a pinned certificate. */
export class Transport {
  readonly where: string
  readonly project: string
  readonly #origin: string
  readonly #dial: () => Promise<Socket>
  readonly #agent: Agent

  private constructor(where: string, origin: string, dial: () => Promise<Socket>, project: string) {
    this.where = where
    this.project = project
    this.#origin = origin
    this.#dial = dial
    this.#agent = new Agent({
      connections: 32,
      keepAliveTimeout: 10_000,
      bodyTimeout: 0,
      connect: connector(dial),
    })
  }

  static unix(socketPath: string, project = 'default'): Transport {
    const dial = () =>
      new Promise<Socket>((resolve, reject) => {
        const socket = netConnect(socketPath)
        socket.once('connect', () => resolve(socket))
        socket.once('error', reject)
      })
    return new Transport(socketPath, 'http://incus', dial, project)
  }

  static tls(remote: RemoteIncusTarget, project = 'default'): Transport {
    const url = new URL(remote.url)
    const pinned = new X509Certificate(remote.serverCertificate).raw
    const dial = () => connectPinnedTls(url, { cert: remote.cert, key: remote.key }, pinned)
    // `dial` has already done the TLS handshake, so the HTTP client uses plain HTTP over it.
    return new Transport(url.host, `http://${url.host}`, dial, project)
  }

  async request<T>(
    method: string,
    path: string,
    options: RequestOptions = {}
  ): Promise<IncusResponse<T>> {
    const response = await this.raw(method, path, options)
    const text = await this.readText(response)
    const envelope = parseEnvelope(response.statusCode, text)
    if (envelope.type === 'error' || response.statusCode >= 400) {
      throw IncusError.fromAnswer(
        envelope.error_code || response.statusCode,
        envelope.error || `Incus answered ${response.statusCode}`
      )
    }
    const etag = response.headers.etag
    return {
      metadata: envelope.metadata as T,
      etag: typeof etag === 'string' ? etag : '',
      operation: envelope.type === 'async' ? (envelope.operation ?? null) : null,
    }
  }

  /** @throws IncusError `unreachable` if the connection breaks before the end of the response */
  readText({ body }: Dispatcher.ResponseData): Promise<string> {
    return this.#guard(body.text())
  }

  /** Sends a request without reading the response body or translating error responses. */
  async raw(
    method: string,
    path: string,
    options: RequestOptions = {}
  ): Promise<Dispatcher.ResponseData> {
    const headers: Record<string, string> = { ...options.headers }
    if (options.etag) headers['if-match'] = options.etag
    let body = options.body
    if (options.json !== undefined) {
      headers['content-type'] = 'application/json'
      body = JSON.stringify(options.json)
    }
    const seconds = options.timeout ?? 60
    return this.#guard(
      this.#agent.request({
        origin: this.#origin,
        path: this.path(path, options.query),
        method: method as Dispatcher.HttpMethod,
        headers,
        body,
        headersTimeout: seconds * 1000,
        signal: options.signal,
      })
    )
  }

  /**
   * Opens a WebSocket. Calls `attach` as soon as it is open, so that listeners exist before the first message.
   * @param options.autoPong false if the server closes without waiting for our pongs
   */
  async websocket(
    path: string,
    query: RequestOptions['query'],
    attach: (websocket: WebSocket) => void,
    { autoPong = true }: { autoPong?: boolean } = {}
  ): Promise<WebSocket> {
    const socket = await this.#guard(this.#dial())
    const address = `${this.#origin.replace(/^http/, 'ws')}${this.path(path, query)}`
    const websocket = new WebSocket(address, {
      createConnection: () => socket,
      perMessageDeflate: false,
      autoPong,
      handshakeTimeout: 30_000,
      maxPayload: 64 * 1024 * 1024,
    })
    websocket.once('open', () => attach(websocket))
    await new Promise<void>((resolve, reject) => {
      websocket.once('open', resolve)
      websocket.once('error', (error) => {
        socket.destroy()
        reject(IncusError.unreachable(this.where, error))
      })
    })
    return websocket
  }

  async upgrade(path: string, protocol: string): Promise<Duplex> {
    const client = new Client(this.#origin, { connect: connector(this.#dial) })
    try {
      const { socket } = await client.upgrade({ path: this.path(path), method: 'GET', protocol })
      return socket
    } catch (error) {
      throw this.#translate(error)
    } finally {
      // An upgraded socket does not belong to the HTTP client any more, so it stays open when the client closes.
      client.close().catch(() => {})
    }
  }

  path(path: string, query: RequestOptions['query'] = {}): string {
    const search = new URLSearchParams(path.includes('?') ? path.split('?')[1] : '')
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined) search.set(key, String(value))
    }
    if (this.project !== 'default' && !search.has('project')) search.set('project', this.project)
    const text = search.toString()
    return path.split('?')[0] + (text ? `?${text}` : '')
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }

  async #guard<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      throw this.#translate(error)
    }
  }

  #translate(error: unknown): Error {
    if (error instanceof IncusError) return error
    const { code, name } = error as { code?: string; name?: string }
    if (name === 'AbortError') return IncusError.cancelled()
    if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_CONNECT_TIMEOUT') {
      return new IncusError('timed_out', 0, `Incus at ${this.where} did not answer in time`, error)
    }
    return IncusError.unreachable(this.where, error)
  }
}

function connector(dial: () => Promise<Socket>): NonNullable<Agent.Options['connect']> {
  return (_options, done) => {
    dial().then(
      (socket) => done(null, socket),
      (error) => done(error as Error, null)
    )
  }
}

/**
 * @param pinned the expected server certificate, in DER format
 * @throws IncusError `forbidden` if the server shows another certificate
 */
export function connectPinnedTls(
  url: URL,
  client: { cert: string; key: string },
  pinned: Buffer
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port || 443),
      cert: client.cert,
      key: client.key,
      // Certificates of Incus are usually self-signed, so no authority can verify them. The code below compares the
      // certificate with the pinned one instead.
      rejectUnauthorized: false,
      timeout: 15_000,
    })
    socket.once('timeout', () => socket.destroy(new Error('no answer within 15 s')))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      socket.setTimeout(0)
      const shown = socket.getPeerX509Certificate()
      if (shown && shown.raw.equals(pinned)) return resolve(socket)
      socket.destroy()
      reject(
        new IncusError(
          'forbidden',
          0,
          `${url.host} shows a different certificate than the stored one`
        )
      )
    })
  })
}

function parseEnvelope(status: number, text: string): Envelope {
  try {
    return JSON.parse(text) as Envelope
  } catch {
    return { type: 'error', metadata: null, error: text.slice(0, 300), error_code: status }
  }
}
