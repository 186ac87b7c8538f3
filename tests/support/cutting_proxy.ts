import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A proxy in front of a Unix socket. It forwards a set number of the client's messages. At each later one, it calls
 * `onCut` and cuts every connection: at once, or after it has forwarded the message and the response begins.
 */
export class CuttingProxy {
  readonly socketPath: string
  /** Number of the client's messages since the last `after`. */
  sent = 0
  #after = Infinity
  #lose: 'request' | 'answer' = 'request'
  #onCut: () => void = () => {}
  readonly #folder: string
  readonly #server: Server
  readonly #open = new Set<Socket>()

  private constructor(folder: string, target: string) {
    this.#folder = folder
    this.socketPath = join(folder, 'unix.socket')
    this.#server = createServer((client) => {
      const upstream = connect(target)
      for (const socket of [client, upstream]) {
        this.#open.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          this.#open.delete(socket)
          client.destroy()
          upstream.destroy()
        })
      }
      client.on('data', (chunk) => {
        this.sent++
        if (this.sent <= this.#after) return void upstream.write(chunk)
        this.#onCut()
        if (this.#lose === 'request') return this.#cutAll()
        upstream.write(chunk)
        upstream.once('data', () => this.#cutAll())
      })
      upstream.on('data', (chunk) => client.write(chunk))
    })
  }

  static async before(target: string): Promise<CuttingProxy> {
    const cut = new CuttingProxy(await mkdtemp(join(tmpdir(), 'cut-')), target)
    await new Promise<void>((resolve) => cut.#server.listen(cut.socketPath, resolve))
    return cut
  }

  /** Cuts the connections at each message after the next `messages` ones, until `never`. */
  after(messages: number, lose: 'request' | 'answer', onCut: () => void): void {
    this.sent = 0
    this.#after = messages
    this.#lose = lose
    this.#onCut = onCut
  }

  never(): void {
    this.#after = Infinity
  }

  async stop(): Promise<void> {
    this.never()
    this.#cutAll()
    await new Promise((resolve) => this.#server.close(resolve))
    await rm(this.#folder, { recursive: true, force: true })
  }

  #cutAll(): void {
    for (const socket of this.#open) socket.destroy()
  }
}
