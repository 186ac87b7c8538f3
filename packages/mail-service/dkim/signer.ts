import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { signatureOf, type SigningKey } from './signature.js'

/**
 * Maximum size of a message that is signed in the main thread. For a longer one, hashing would block the event loop.
 */
const MAX_IN_MEMORY_BYTES = 256 * 1024

/**
 * Signs messages without blocking the event loop. Short messages are hashed in the main thread, and their RSA signature
 * is computed in Node's thread pool. Long messages are signed in a worker thread.
 */
export class Signer {
  #worker?: Worker
  #next = 0
  readonly #pending = new Map<
    number,
    { done: (header: string) => void; failed: (e: Error) => void }
  >()

  /** Returns the DKIM-Signature field of a message (RFC 6376), ending with CRLF. */
  sign(raw: Buffer, key: SigningKey): Promise<string> {
    if (raw.length <= MAX_IN_MEMORY_BYTES) return signatureOf(raw, key)
    const worker = (this.#worker ??= this.#start())
    const id = this.#next++
    return new Promise((done, failed) => {
      this.#pending.set(id, { done, failed })
      worker.postMessage({ id, raw, key })
    })
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(
      new URL(`./signing_thread${extname(import.meta.url)}`, import.meta.url)
    )
    worker.unref()
    worker.on('message', (reply: { id: number; header?: string; failure?: string }) => {
      const pending = this.#pending.get(reply.id)
      this.#pending.delete(reply.id)
      if (reply.header) pending?.done(reply.header)
      else pending?.failed(new Error(reply.failure ?? 'The message could not be signed'))
    })
    const end = (error: Error) => {
      if (this.#worker === worker) this.#worker = undefined
      for (const { failed } of this.#pending.values()) failed(error)
      this.#pending.clear()
    }
    worker.on('error', end)
    worker.on('exit', () => end(new Error('The thread that signs has ended')))
    return worker
  }
}
