import { retryAfterHeaders, mailErrors } from '../errors.js'

/**
 * Limits the total size of the request bodies in memory, so that many large requests at once cannot crash the process.
 */
export class MemoryBudget {
  #taken = 0

  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /**
   * Starts to count the bytes of one request. `take` adds bytes, and throws 503 if the total of all requests exceeds
   * the limit. `close` subtracts them again.
   */
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
