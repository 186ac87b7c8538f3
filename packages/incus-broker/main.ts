import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { findExceededJsonLimit } from '#packages/service/json_limits'
import { takeOverUnixSocket } from '../service/graceful_handover.js'
import { Incus, type Instance, isIncusError } from '../incus/main.js'
import {
  type BrokerClientName,
  type ForwardedRequest,
  RequestRejectedError,
  ruleFor,
  redactForeignInstance,
} from './rules.js'

export { brokerRules, type BrokerClientName } from './rules.js'

export interface BrokerOptions {
  /** Path of Incus's Unix socket. Access to it is equivalent to root on this host. */
  incus: string
  /** ID of the Berth installation whose instances clients may access. */
  installation: string
  onRefused?(what: { client: BrokerClientName; method: string; path: string; reason: string }): void
}

const MAX_BODY_BYTES = 4 * 1024 * 1024
/**
 * Maximum number of JSON values in a request body. Real requests have far fewer: an instance's configuration has a few
 * hundred values in four levels.
 */
const MAX_JSON_VALUES = 20_000
const MAX_JSON_DEPTH = 20
/**
 * Time for which the checks of `exec` calls may use a cached instance. The labels that identify its owner rarely
 * change. For all other calls, the broker loads the instance again.
 */
const CACHE_MS = 5_000

const UPGRADE_HEADERS = [
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-protocol',
  'sec-websocket-extensions',
]

interface Allowed extends ForwardedRequest {
  method: string
  target: string
  /** The instance that the call reads. If it belongs to another installation, the response is built from it. */
  instance?: Instance
}

/**
 * Forwards only allowed API calls to Incus. Each client gets a separate Unix socket, which it uses like Incus's own
 * socket.
 */
export class IncusBroker {
  readonly #options: BrokerOptions
  readonly #incus: Incus
  readonly #incusAddress: { socketPath: string; agent: false }
  readonly #servers: Server[] = []
  readonly #open = new Set<Duplex>()
  readonly #known = new Map<string, { instance: Instance; until: number }>()

  constructor(options: BrokerOptions) {
    this.#options = options
    // No keep-alive: Incus could close a kept connection at the moment when the broker reuses it.
    this.#incusAddress = { socketPath: options.incus, agent: false }
    this.#incus = Incus.local(options.incus)
  }

  /**
   * Creates the client's socket with mode 0660. The permissions of its folder decide which members of its group can
   * connect.
   */
  async listen(client: BrokerClientName, socket: string): Promise<void> {
    const server = createServer({ requestTimeout: 0 }, (incoming, answer) => {
      void this.#answer(client, incoming, answer)
    })
    server.on('upgrade', (incoming: IncomingMessage, stream: Duplex, head: Buffer) => {
      void this.#upgrade(client, incoming, stream, head)
    })
    await takeOverUnixSocket(server, socket, 0o660)
    this.#servers.push(server)
  }

  async leave(timeoutMs: number): Promise<void> {
    // A newer process listens at the socket path now, so new clients connect to that process.
    const closed = this.#servers.map((server) => new Promise((done) => server.close(done)))
    const late = Date.now() + timeoutMs
    let over = false
    void Promise.all(closed).then(() => (over = true))
    while ((!over || this.#open.size > 0) && Date.now() < late) {
      for (const server of this.#servers) server.closeIdleConnections()
      await sleep(100)
    }
  }

  async close(): Promise<void> {
    const closed = this.#servers.map((server) => {
      const over = server.listening ? once(server, 'close') : undefined
      server.close()
      server.closeAllConnections()
      return over
    })
    for (const stream of this.#open) stream.destroy()
    await Promise.all([...closed, this.#incus.close()])
  }

  async #answer(
    client: BrokerClientName,
    incoming: IncomingMessage,
    answer: ServerResponse
  ): Promise<void> {
    try {
      const allowed = await this.#allow(client, incoming, await bodyOf(incoming))
      if (allowed.instance) {
        const { instance } = allowed
        const metadata = redactForeignInstance(instance, this.#options.installation)
        if (metadata !== instance) return reply(answer, 200, { type: 'sync', metadata })
      }
      this.#pass(allowed, incoming, answer)
    } catch (error) {
      const { status, message } = this.#errorReply(client, incoming, error)
      reply(answer, status, { type: 'error', error: message, error_code: status })
    }
  }

  #pass(
    { method, target, body }: Allowed,
    incoming: IncomingMessage,
    answer: ServerResponse
  ): void {
    const text = body && JSON.stringify(body)
    const etag = incoming.headers['if-match']
    const passed = request(
      {
        ...this.#incusAddress,
        method,
        path: target,
        headers: {
          ...(text && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(text),
          }),
          ...(etag && { 'if-match': etag }),
        },
      },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(answer)
      }
    )
    passed.once('error', (error) => {
      if (answer.headersSent) return answer.destroy()
      reply(answer, 502, { type: 'error', error: error.message, error_code: 502 })
    })
    answer.once('close', () => passed.destroy())
    passed.end(text)
  }

  /**
   * Relays raw bytes only after Incus has switched protocols. Until then the client's bytes wait, and they are dropped
   * if Incus does not switch: they could be another HTTP call that no rule has checked.
   */
  async #upgrade(
    client: BrokerClientName,
    incoming: IncomingMessage,
    stream: Duplex,
    head: Buffer
  ) {
    this.#hold(stream)
    const answer = (status: number, type: string, text: string) =>
      stream.end(
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: ${type}\r\n` +
          `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`
      )
    try {
      const { target } = await this.#allow(client, incoming, undefined, true)
      const wanted = UPGRADE_HEADERS.filter((name) => incoming.headers[name] !== undefined)
      const headers = Object.fromEntries(wanted.map((name) => [name, incoming.headers[name]]))
      const passed = request({ ...this.#incusAddress, path: target, headers })
      passed.once('error', (error) => answer(502, 'text/plain', error.message))
      passed.once('response', async (response) => {
        const text = await readText(response).catch(() => '')
        answer(response.statusCode ?? 502, response.headers['content-type'] ?? '', text)
      })
      passed.once('upgrade', (response, incus, first) => {
        this.#hold(incus)
        stream.once('close', () => incus.destroy())
        incus.once('close', () => stream.destroy())
        const names = response.rawHeaders.filter((_part, index) => index % 2 === 0)
        const lines = names.map((name, index) => `${name}: ${response.rawHeaders[index * 2 + 1]}`)
        stream.write(['HTTP/1.1 101 Switching Protocols', ...lines, '', ''].join('\r\n'))
        if (first.length) stream.write(first)
        if (head.length) incus.write(head)
        stream.pipe(incus).pipe(stream)
      })
      stream.once('close', () => passed.destroy())
      passed.end()
    } catch (error) {
      const { status, message } = this.#errorReply(client, incoming, error)
      const text = JSON.stringify({ type: 'error', error: message, error_code: status })
      answer(status, 'application/json', text)
    }
  }

  #hold(stream: Duplex): void {
    this.#open.add(stream)
    stream.once('close', () => this.#open.delete(stream))
    stream.on('error', () => stream.destroy())
  }

  async #allow(
    client: BrokerClientName,
    incoming: IncomingMessage,
    body: unknown,
    upgrade = false
  ): Promise<Allowed> {
    const method = incoming.method ?? ''
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://incus')
    // Matches the path without decoding it. Valid names need no percent-encoding, and Incus might decode a path
    // differently.
    const rule = ruleFor({ client, method, path: pathname })
    if (!rule || upgrade !== Boolean(rule.upgrade))
      throw new RequestRejectedError('this call is not allowed')
    const query = new URLSearchParams()
    for (const [key, value] of searchParams) {
      if (!rule.query?.includes(key))
        throw new RequestRejectedError(`the parameter ${key} is not allowed`)
      query.set(key, value)
    }
    const name = rule.path.exec(pathname)?.[1]
    const changes = method !== 'GET' && !pathname.endsWith('/exec')
    const instance = name ? await this.#instance(name, !changes && Boolean(rule.check)) : null
    const known = { instance, installation: this.#options.installation }
    const passed = rule.check?.({ client, method, path: pathname, body }, known) ?? {}
    const target = pathname + (query.size ? `?${query}` : '')
    return { ...passed, method, target, ...(instance && !rule.check && { instance }) }
  }

  async #instance(name: string, mayBeOld: boolean): Promise<Instance | null> {
    const known = this.#known.get(name)
    if (mayBeOld && known && known.until > Date.now()) return known.instance
    this.#known.delete(name)
    try {
      const instance = await this.#incus.instances.get(name)
      if (this.#known.size > 10_000) this.#known.clear()
      this.#known.set(name, { instance, until: Date.now() + CACHE_MS })
      return instance
    } catch (error) {
      if (isIncusError(error, 'not_found')) return null
      throw error
    }
  }

  #errorReply(client: BrokerClientName, incoming: IncomingMessage, error: unknown) {
    const message = (error as Error).message
    if (!(error instanceof RequestRejectedError)) return { status: 502, message }
    const { method = '', url = '' } = incoming
    const path = url.split('?')[0]
    if (message === 'this instance does not exist')
      return { status: 404, message: 'Instance not found' }
    this.#options.onRefused?.({ client, method, path, reason: message })
    return { status: 403, message: `The Incus broker of Berth rejected this call: ${message}` }
  }
}

/**
 * Returns undefined if the body is empty.
 * @throws RequestRejectedError if the JSON is invalid, too long, too deep or has too many values
 */
async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  const text = await readText(incoming)
  if (!text) return undefined
  if (findExceededJsonLimit(text, { values: MAX_JSON_VALUES, depth: MAX_JSON_DEPTH }))
    throw new RequestRejectedError(
      `the JSON has more than ${MAX_JSON_VALUES} values or ${MAX_JSON_DEPTH} levels`
    )
  try {
    return JSON.parse(text)
  } catch {
    throw new RequestRejectedError('the body is not valid JSON')
  }
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw new RequestRejectedError('the body is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function reply(answer: ServerResponse, status: number, body: object): void {
  answer.writeHead(status, { 'content-type': 'application/json' })
  answer.end(JSON.stringify(body))
}
