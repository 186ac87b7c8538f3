import { after, mailErrors } from '../errors.js'

/** Bytes of bodies that are in memory at once, so that many large ones cannot end the process. */
export class Budget {
  #taken = 0

  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** Something that grows with what is read and is given back whole. */
  open(): { take(bytes: number): void; close(): void } {
    let own = 0
    return {
      take: (bytes) => {
        if (this.#taken + bytes > this.#most) throw mailErrors.busy(undefined, after(5))
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
