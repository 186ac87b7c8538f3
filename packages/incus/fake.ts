import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import type WebSocket from 'ws'
import type { IncusEvent } from './events.ts'
import { sendMetadata, FakeError, parseJsonBody, readRequest, sendError } from './fake/http.ts'
import type { FakeRequest } from './fake/http.ts'
import { handleImages } from './fake/images.ts'
import { handleInstances } from './fake/instances.ts'
import {
  memberState,
  metricsText,
  handleNetworks,
  serverInfo,
  serverResources,
  handleCollection,
} from './fake/server_and_networks.ts'
import { runningOperations, waitForOperation } from './fake/operations.ts'
import { FakePrograms } from './fake/programs.ts'
import { FakeState } from './fake/state.ts'
import type { FakeProgramHandler } from './fake/state.ts'

export type { FakeProgramHandler } from './fake/state.ts'

/**
 * An in-memory Incus on a Unix socket, for development and tests. It stores resources and simulates programs.
 * An instance whose name contains `fail-create`, `fail-start`, `fail-update`, `fail-stop`, `fail-delete` or
 * `fail-exec` fails at that step. `slow-create` delays the creation.
 */
export class FakeIncus {
  readonly socketPath: string
  /** Stored resources, which tests may read and change. */
  readonly state = new FakeState()
  requestCount = 0
  readonly #folder: string
  readonly #server: Server
  readonly #programs = new FakePrograms(this.state)
  readonly #events = new WebSocketServer({ noServer: true })
  readonly #sockets = new Set<Duplex>()

  private constructor(folder: string) {
    this.#folder = folder
    this.socketPath = join(folder, 'unix.socket')
    this.#server = createServer((incoming, response) => void this.#handle(incoming, response))
    this.#server.on('upgrade', (incoming, socket, head) => this.#upgrade(incoming, socket, head))
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  static async start(): Promise<FakeIncus> {
    const fake = new FakeIncus(await mkdtemp(join(tmpdir(), 'fake-incus-')))
    await new Promise<void>((resolve) => fake.#server.listen(fake.socketPath, resolve))
    return fake
  }

  /** Adds a handler that simulates programs. Handlers that were added later run first. */
  onExec(handler: FakeProgramHandler): void {
    this.state.handlers.unshift(handler)
  }

  emit(event: IncusEvent): void {
    for (const client of this.#events.clients as Set<WebSocket>) client.send(JSON.stringify(event))
  }

  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.#programs.close()
    for (const client of this.#events.clients) client.terminate()
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.dropConnections()
    await closed
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(await readRequest(incoming), response)
    } catch (error) {
      if (response.headersSent || response.destroyed) return
      if (error instanceof FakeError) return sendError(response, error.status, error.message)
      sendError(response, 500, (error as Error).message)
    }
  }

  async #route(request: FakeRequest, response: ServerResponse): Promise<void> {
    const { state } = this
    const [noun, id, part] = request.parts
    this.requestCount++
    switch (noun) {
      case undefined:
        if (request.method === 'GET') return sendMetadata(response, serverInfo(state))
        Object.assign(
          state.config,
          parseJsonBody<{ config: Record<string, string> }>(request).config
        )
        return sendMetadata(response, {})
      case 'resources':
        return sendMetadata(response, serverResources(state))
      case 'warnings':
        return sendMetadata(response, state.warnings)
      case 'metrics':
        response.writeHead(200, { 'content-type': 'text/plain' })
        return void response.end(metricsText(state))
      case 'instances':
        this.#announce(request)
        return handleInstances(state, this.#programs, request, response)
      case 'images':
        return handleImages(state, request, response)
      case 'networks':
        return handleNetworks(state, request, response)
      case 'network-acls':
      case 'storage-pools':
      case 'profiles':
        return handleCollection(state, noun, request, response)
      case 'cluster':
        if (request.parts[3] === 'state') return sendMetadata(response, memberState(state))
        break
      case 'certificates':
        return sendMetadata(response, [])
      case 'operations':
        if (!id) return sendMetadata(response, { running: runningOperations(state) })
        return this.#operation(id, part, request, response)
    }
    throw new FakeError(404, 'not found')
  }

  async #operation(
    id: string,
    part: string | undefined,
    request: FakeRequest,
    response: ServerResponse
  ): Promise<void> {
    const operation = this.state.operations.get(id)
    if (!operation) throw new FakeError(404, 'Operation not found')
    if (part === 'wait') {
      await waitForOperation(this.state, operation, Number(request.query.get('timeout') ?? -1))
    }
    sendMetadata(response, operation)
  }

  /** Emits the lifecycle event of a create, delete, start or stop call, even if that call fails afterwards. */
  #announce({ method, parts, body }: FakeRequest): void {
    const text = body.toString()
    const action =
      method === 'POST' && parts.length === 1
        ? 'instance-created'
        : method === 'DELETE' && parts.length === 2
          ? 'instance-deleted'
          : method === 'PUT' && parts[2] === 'state'
            ? { start: 'instance-started', stop: 'instance-stopped' }[
                /"action":"(\w+)"/.exec(text)?.[1] ?? ''
              ]
            : undefined
    if (!action) return
    const name = parts[1] ?? /"name":"([^"]+)"/.exec(text)?.[1]
    this.emit({
      type: 'lifecycle',
      timestamp: new Date().toISOString(),
      project: 'default',
      metadata: { action, source: `/1.0/instances/${name}` },
    })
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#programs.upgrade(incoming, socket, head)) return
    if (incoming.url?.startsWith('/1.0/events')) {
      this.#events.handleUpgrade(incoming, socket, head, () => {})
      return
    }
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
  }
}
