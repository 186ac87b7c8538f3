import { once } from 'node:events'
import { createServer, STATUS_CODES, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { GatewayConnection } from './connection.js'
import {
  CLOSE_CODE_GATEWAY_STOPPING,
  CLOSE_CODE_TOO_MANY_TERMINALS,
  MAX_FRAME_BYTES,
} from './protocol.js'
import { Terminal, type TerminalOptions } from './terminal.js'
import type { Gateway, GatewayOptions, SignedInSession } from './types.js'

const MS_PER_MINUTE = 60_000
const AUTHENTICATION_TIMEOUT_MS = 10_000
const PING_INTERVAL_MS = 15_000
const MAX_BACKLOG_BYTES = 256 * 1024
const MAX_TOTAL_BACKLOG_BYTES = 64 * 1024 * 1024

export function createGateway(options: GatewayOptions): Gateway {
  return new TerminalGateway(options)
}

class TerminalGateway implements Gateway {
  readonly #terminals = new Set<Terminal>()
  readonly #arrivals = new Places()
  readonly #attached: { server: Server; onUpgrade: UpgradeListener }[] = []
  readonly #options: Omit<TerminalOptions, 'onIntroduced' | 'backlog'>
  readonly #maxPerPerson: number
  #own: Server | null = null
  #draining: string | null = null

  // If a frame exceeds Berth's own limit, the terminal closes with a reason. The limit of `ws` is higher: it closes the
  // connection without a reason.
  readonly #sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: 16 * MAX_FRAME_BYTES,
  })

  constructor(options: GatewayOptions) {
    const { maxPerPerson = 20, maxPerMachine = 50 } = options
    const [people, machines] = [new Places(), new Places()]
    this.#maxPerPerson = maxPerPerson
    this.#options = {
      idleTimeout: 30 * MS_PER_MINUTE,
      idleWarning: MS_PER_MINUTE,
      credentialsTimeout: 10_000,
      keepFor: 30 * MS_PER_MINUTE,
      onError: () => {},
      ...withoutUndefined(options),
      enterPerson: (personId) => people.enter(personId, maxPerPerson),
      enterMachine: (machineId) => machines.enter(machineId, maxPerMachine),
      findResumable: (token, identity) => this.#findResumable(token, identity),
    }
  }

  get size(): number {
    return this.#terminals.size
  }

  async listen(port: number, host?: string): Promise<number> {
    const server = createServer((request, response) => {
      const healthy = request.url === '/health'
      response.writeHead(healthy ? 200 : 426, {
        'content-type': 'text/plain',
        'x-content-type-options': 'nosniff',
      })
      response.end(healthy ? 'ok\n' : 'Connect to this address by WebSocket\n')
    })
    this.#own = server
    this.attach(server)
    server.listen(port, host)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  attach(server: Server): void {
    const onUpgrade: UpgradeListener = (request, socket, head) => {
      const path = (request.url ?? '/').split('?')[0]
      if (this.#options.path && path !== this.#options.path) {
        // Another listener of a shared HTTP server may handle this path. So only the gateway's own server responds with
        // 404.
        if (server === this.#own) answer(socket, 404)
        return
      }
      void this.#upgrade(request, socket, head)
    }
    server.on('upgrade', onUpgrade)
    this.#attached.push({ server, onUpgrade })
  }

  async drain(reason: string): Promise<void> {
    this.#draining = reason
    const open = [...this.#terminals]
    for (const terminal of open) terminal.end(reason, CLOSE_CODE_GATEWAY_STOPPING)
    await Promise.all(open.map((terminal) => terminal.gone))
  }

  async leave(notice: string, reason: string, timeoutMs: number): Promise<void> {
    this.#draining = reason
    const open = [...this.#terminals]
    for (const terminal of open) {
      if (terminal.isLeft) terminal.end(reason, CLOSE_CODE_GATEWAY_STOPPING)
      else terminal.warn(notice)
    }
    const late = AbortSignal.timeout(timeoutMs)
    await Promise.race([Promise.all(open.map(({ gone }) => gone)), once(late, 'abort')])
    await this.drain(reason)
  }

  async close(): Promise<void> {
    await this.drain(this.#draining ?? 'The terminal service is closing')
    for (const { server, onUpgrade } of this.#attached) server.off('upgrade', onUpgrade)
    this.#attached.length = 0
    const server = this.#own
    this.#own = null
    if (!server?.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const ignore = () => {}
    socket.on('error', ignore)
    const { origin } = request.headers
    if (!origin || !this.#options.allowedOrigins(origin)) return answer(socket, 403)
    if (this.#draining !== null) return answer(socket, 503)
    const timer = setTimeout(() => answer(socket, 503), AUTHENTICATION_TIMEOUT_MS)
    let identity: SignedInSession | null
    try {
      identity = await this.#options.authenticate(request)
    } catch (error) {
      this.#options.onError(error)
      return answer(socket, 500)
    } finally {
      clearTimeout(timer)
    }
    if (!identity) return answer(socket, 401)
    if (socket.destroyed || !socket.writable) return
    if (this.#draining !== null) return answer(socket, 503)
    const person = identity
    this.#sockets.handleUpgrade(request, socket, head, (websocket) => {
      socket.off('error', ignore)
      this.#welcome(
        new GatewayConnection(websocket, this.#options.pingInterval ?? PING_INTERVAL_MS),
        person
      )
    })
  }

  /**
   * Handles a new WebSocket. It counts towards the person's limit of terminals only after its first message, because it
   * may resume a terminal that already counts.
   */
  #welcome(line: GatewayConnection, person: SignedInSession): void {
    const introduced = this.#arrivals.enter(person.personId, this.#maxPerPerson)
    if (!introduced)
      return line.end('You have too many terminals open', CLOSE_CODE_TOO_MANY_TERMINALS)
    let waiting = true
    const onIntroduced = () => {
      if (waiting) introduced()
      waiting = false
    }
    const backlog = this.#backlogOf(this.#terminals.size + 1)
    const terminal = new Terminal(line, person, { ...this.#options, onIntroduced, backlog })
    this.#terminals.add(terminal)
    this.#share()
    void terminal.gone.then(() => {
      onIntroduced()
      this.#terminals.delete(terminal)
      this.#share()
    })
  }

  #backlogOf(terminals: number): number {
    return Math.min(
      MAX_BACKLOG_BYTES,
      (this.#options.maxBacklog ?? MAX_TOTAL_BACKLOG_BYTES) / terminals
    )
  }

  #share(): void {
    const bytes = this.#backlogOf(this.#terminals.size)
    for (const terminal of this.#terminals) terminal.backlogLimit = bytes
  }

  async #findResumable(token: string, identity: SignedInSession): Promise<Terminal | null> {
    const resumable = [...this.#terminals].find((terminal) => terminal.answersTo(token, identity))
    await resumable?.recheck(identity)
    return resumable ?? null
  }
}

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

class Places {
  readonly #taken = new Map<string, number>()

  /**
   * Counts one more use of `key`, and returns a function that ends this use. Returns null if there are already `limit`
   * uses.
   */
  enter(key: string, limit: number): (() => void) | null {
    const count = this.#taken.get(key) ?? 0
    if (count >= limit) return null
    this.#taken.set(key, count + 1)
    return () => {
      const left = this.#taken.get(key)! - 1
      if (left > 0) this.#taken.set(key, left)
      else this.#taken.delete(key)
    }
  }
}

function answer(socket: Duplex, status: number): void {
  if (!socket.writable) return
  const statusText = STATUS_CODES[status]
  socket.end(
    `HTTP/1.1 ${status} ${statusText}\r\nConnection: close\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${statusText!.length}\r\n\r\n${statusText}`,
    () => socket.destroy()
  )
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, v]) => v !== undefined)) as T
}
