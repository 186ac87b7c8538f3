import { hash } from 'node:crypto'

const MAX_WRONG_KEYS_PER_MINUTE = 20
const SECONDS_PER_MINUTE = 60

const SLOT_COUNT = 65_536
/**
 * Layout of a slot: the time of the first wrong key, and the number of wrong keys. The time is in seconds modulo
 * `SECONDS_RANGE` (24 bits, about 194 days).
 */
const COUNT_BITS = 8
const SECONDS_RANGE = 2 ** (32 - COUNT_BITS)

/**
 * Counts wrong keys by address, for all threads of the process. Addresses are hashed to slots. Addresses with the same
 * slot share one counter. Nobody outside can predict the slots, because each process has a new `salt`.
 */
export class WrongKeyLimiter {
  static readonly bytes = SLOT_COUNT * Uint32Array.BYTES_PER_ELEMENT

  readonly #slots: Uint32Array

  readonly #salt: string
  readonly #now: () => number

  /** @param now returns the time in milliseconds */
  constructor(
    shared = new SharedArrayBuffer(WrongKeyLimiter.bytes),
    salt = '',
    now: () => number = Date.now
  ) {
    this.#salt = salt
    this.#now = now

    this.#slots = new Uint32Array(shared)
  }

  /** Returns the seconds until the address may try again. Returns 0 if it may try now. */
  wait(address: string): number {
    const { tries, age } = this.#read(Atomics.load(this.#slots, this.#slotOf(address)))
    return tries >= MAX_WRONG_KEYS_PER_MINUTE ? SECONDS_PER_MINUTE - age : 0
  }

  count(address: string): void {
    const slot = this.#slotOf(address)
    for (;;) {
      const before = Atomics.load(this.#slots, slot)
      const { tries, age } = this.#read(before)
      if (tries >= MAX_WRONG_KEYS_PER_MINUTE) return
      const began = (this.#second() - age + SECONDS_RANGE) % SECONDS_RANGE
      const after = began * 2 ** COUNT_BITS + tries + 1
      if (Atomics.compareExchange(this.#slots, slot, before, after) === before) return
    }
  }

  #read(value: number): { tries: number; age: number } {
    const age = (this.#second() - (value >>> COUNT_BITS) + SECONDS_RANGE) % SECONDS_RANGE
    const isOver = value === 0 || age >= SECONDS_PER_MINUTE
    return isOver ? { tries: 0, age: 0 } : { tries: value & (2 ** COUNT_BITS - 1), age }
  }

  #second(): number {
    return Math.floor(this.#now() / 1000) % SECONDS_RANGE
  }

  #slotOf(address: string): number {
    return hash('sha256', this.#salt + address, 'buffer').readUInt16LE()
  }
}
