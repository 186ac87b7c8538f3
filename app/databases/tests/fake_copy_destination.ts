import type {
  BackupCopyDestinationKey,
  BackupCopyDestinationProvider,
} from '#databases/backup_copy_destinations'
import { conflict } from '#core/app_error'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export class FakeCopyDestination implements BackupCopyDestinationProvider {
  readonly objects = new Map<string, Buffer>()
  /**
   * `refuse`: rejects uploads. `cut`: closes the connection during an upload. `problem`: rejects deletions, and
   * calls for an upload or download URL.
   */
  failure: 'refuse' | 'cut' | 'problem' | null = null
  asked = 0
  reads = 0

  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server

    server.on('request', (request, response) => {
      void this.#serve(request, response).catch(() => response.destroy())
    })
  }

  static async start(): Promise<FakeCopyDestination> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new FakeCopyDestination(server)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  places() {
    return Promise.resolve([{ id: 7, name: 'second', problem: null }])
  }

  upload(_at: BackupCopyDestinationKey, name: string) {
    return this.#url(name)
  }

  download(_at: BackupCopyDestinationKey, name: string) {
    return this.#url(name)
  }

  async remove(_at: BackupCopyDestinationKey, names: string[]) {
    await this.#url('')
    for (const name of names) this.objects.delete(name)
  }

  #url(name: string): Promise<string> {
    this.asked += 1
    if (this.failure === 'problem') return Promise.reject(conflict('Not now.'))
    const { port } = this.#server.address() as AddressInfo
    return Promise.resolve(`http://127.0.0.1:${port}/${name}`)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = request.url!.slice(1)
    if (request.method === 'GET') {
      this.reads += 1
      const found = this.objects.get(name)
      if (!found) response.writeHead(404).end()
      else response.writeHead(200, { 'content-length': found.length }).end(found)
      return
    }
    if (this.failure === 'cut') return void request.socket.destroy()
    const bytes = await buffer(request)
    if (this.failure === 'refuse') {
      response.writeHead(507).end(JSON.stringify({ success: false, message: 'It is full.' }))
      return
    }
    this.objects.set(name, bytes)
    response.writeHead(200).end()
  }
}
