import { open } from 'node:fs/promises'

/**
 * Syncs a folder to disk, so that the names of new files are durable. A call during a running sync waits for the next
 * sync, because the running one may miss names that are newer.
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
