const MAX_WRONG_KEYS_PER_MINUTE = 20
const MS_PER_MINUTE = 60_000
/** Maximum number of addresses in memory. If there are more, the oldest are removed. */
const MAX_TRACKED_ADDRESSES = 10_000

/** Limits failures per minute, for each address or sender. */
export class FailureLimiter {
  readonly #wrong = new Map<string, { tries: number; until: number }>()

  readonly #limit: number
  readonly #now: () => number

  /** `limit` is the number of failures allowed per minute. `now` is in milliseconds. */
  constructor(limit = MAX_WRONG_KEYS_PER_MINUTE, now: () => number = Date.now) {
    this.#limit = limit
    this.#now = now
  }

  /** Returns the seconds until this address may try again, or 0. */
  wait(address: string): number {
    const wrong = this.#wrong.get(address)
    if (!wrong || wrong.tries < this.#limit) return 0
    return Math.max(0, Math.ceil((wrong.until - this.#now()) / 1000))
  }

  wrong(address: string): void {
    const now = this.#now()
    const before = this.#wrong.get(address)
    if (before && before.until > now) {
      before.tries++
      return
    }
    this.#wrong.delete(address)
    if (this.#wrong.size >= MAX_TRACKED_ADDRESSES)
      this.#wrong.delete(this.#wrong.keys().next().value!)
    this.#wrong.set(address, { tries: 1, until: now + MS_PER_MINUTE })
  }
}
