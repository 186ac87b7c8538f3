import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { vaultErrors } from '../errors.js'

/** A request to the hashing thread. Its response has the same `id`. */
export interface Md5Request {
  id: number
  body: number
  /** Range of the shared memory that is to be hashed. Undefined at the end of the body. */
  piece?: { at: number; length: number }
}
export interface Md5Response {
  id: number
  /** MD5 in hexadecimal. Set only in the response to the last request for a body. */
  md5?: string
}

/** Computes the MD5 of one body piece by piece. Its methods reject if the thread has crashed. */
export interface Md5Hasher {
  /** Hashes a piece. After the promise has resolved, the piece's memory may be overwritten. */
  update(at: number, length: number): Promise<void>
  /** Returns the MD5 in hexadecimal. Call it even if you do not need the result. */
  end(): Promise<string>
}

/**
 * A thread that hashes large bodies, because computing their MD5 takes longer than everything else. If the thread
 * crashes, the uploads whose bodies it is hashing fail. The next large body starts a new thread.
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

  async stop(): Promise<void> {
    await this.#running?.worker.terminate()
  }
}

type Waiting = PromiseWithResolvers<Md5Response>

class Running {
  readonly worker: Worker
  failure?: Error
  readonly #pending = new Map<number, Waiting>()
  #ids = 0

  constructor(memory: SharedArrayBuffer) {
    const entry = new URL(`./md5_thread_entry${extname(import.meta.url)}`, import.meta.url)
    this.worker = new Worker(entry, { workerData: memory })
    // This thread alone must not keep the process running.
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
