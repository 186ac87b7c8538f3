import { open } from 'node:fs/promises'

/**
 * Makes new names in a folder durable. A call during a running sync waits for the next one, because the running one may
 * miss newer names.
 */
export class FolderSync {
  #running?: Promise<void>
  #next?: Promise<void>

  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  sync(): Promise<void> {
    if (!this.#running) return this.#start()
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start()
    )
    return this.#next
  }

  #start(): Promise<void> {
    this.#next = undefined
    const run = this.#run().finally(() => {
      if (this.#running === run) this.#running = undefined
    })
    this.#running = run
    return run
  }

  async #run(): Promise<void> {
    const folder = await open(this.#path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }
}
