import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { vaultErrors } from '../errors.js'

/** What the thread is asked, and its answer under the same number. */
export interface Md5Request {
  id: number
  /** Of which body. */
  body: number
  /** A piece of the memory that comes next; without one it was the last. */
  piece?: { at: number; length: number }
}
export interface Md5Response {
  id: number
  /** Hexadecimal, once the last piece came. */
  md5?: string
}

/** MD5 of one body, piece after piece. Each rejects when its thread has ended. */
export interface Md5Hasher {
  /** Fulfilled once the piece may be overwritten. */
  update(at: number, length: number): Promise<void>
  /** Hexadecimal. Call it also when nobody wants to know any more. */
  end(): Promise<string>
}

/**
 * Hashes what stands in shared memory in a thread of its own: MD5 of a large body takes longer than everything else
 * about it. A thread that ends takes along the bodies that it was hashing; the next one begins another.
 */
export class Md5Thread {
  #running?: Running
  #bodies = 0

  readonly #memory: SharedArrayBuffer

  constructor(memory: SharedArrayBuffer) {
    this.#memory = memory
  }

  begin(): Md5Hasher {
    if (!this.#running || this.#running.failure) this.#running = new Running(this.#memory)
    const running = this.#running
    const body = this.#bodies++
    return {
      update: async (at, length) => void (await running.ask({ body, piece: { at, length } })),
      end: async () => (await running.ask({ body })).md5!,
    }
  }

  /** Ends the thread; the next body begins another. */
  async stop(): Promise<void> {
    await this.#running?.worker.terminate()
  }
}

type Waiting = PromiseWithResolvers<Md5Response>

/** One life of the thread. */
class Running {
  readonly worker: Worker
  failure?: Error
  readonly #pending = new Map<number, Waiting>()
  #ids = 0

  constructor(memory: SharedArrayBuffer) {
    const entry = new URL(`./md5_thread_entry${extname(import.meta.url)}`, import.meta.url)
    this.worker = new Worker(entry, { workerData: memory })
    // Nobody has to end it for the process to end.
    this.worker.unref()
    this.worker.on('message', (answer: Md5Response) => {
      this.#pending.get(answer.id)?.resolve(answer)
      this.#pending.delete(answer.id)
    })
    this.worker.once('error', (error: Error) => this.#fail(error))
    this.worker.once('exit', () => this.#fail(new Error('The thread that hashes has ended')))
  }

  ask(question: Omit<Md5Request, 'id'>): Promise<Md5Response> {
    if (this.failure) return Promise.reject(this.failure)
    const id = this.#ids++
    const waiting = Promise.withResolvers<Md5Response>()
    this.#pending.set(id, waiting)
    this.worker.postMessage({ id, ...question } satisfies Md5Request)
    return waiting.promise
  }

  #fail(cause: Error): void {
    this.failure ??= Object.assign(vaultErrors.storeFailed(), { cause })
    for (const { reject } of this.#pending.values()) reject(this.failure)
    this.#pending.clear()
  }
}
