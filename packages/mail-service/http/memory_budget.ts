import { retryAfterHeaders, mailErrors } from '../errors.js'

/** Bytes of bodies that are in memory at once, so that many large ones cannot end the process. */
export class MemoryBudget {
  #taken = 0

  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Something that grows with what is read and is given back whole. */
  open(): { take(bytes: number): void; close(): void } {
    let own = 0
    return {
      take: (bytes) => {
        if (this.#taken + bytes > this.#limit)
          throw mailErrors.busy(undefined, retryAfterHeaders(5))
        this.#taken += bytes
        own += bytes
      },
      close: () => {
        this.#taken -= own
        own = 0
      },
    }
  }
}
