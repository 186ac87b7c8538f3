const SLOT_COUNT = 65_536

/**
 * Invalidates caches in all threads of the process. Each name and each vault has a slot in shared memory, and every
 * change increments the slot. If two names share a slot, a change of one also invalidates the other.
 * A writer commits, increments the slot, and then reports success. A cache reads the slot's value BEFORE it loads an
 * entry, and uses the entry only while the slot has that value.
 */
export class ChangeCounters {
  static readonly bytes = SLOT_COUNT * Int32Array.BYTES_PER_ELEMENT

  readonly #slots: Int32Array

  /** @param shared memory that all threads share. Default: private counters */
  constructor(readonly shared = new SharedArrayBuffer(ChangeCounters.bytes)) {
    this.#slots = new Int32Array(shared)
  }

  of(vaultId: number, name: string): number {
    return Atomics.load(this.#slots, slotOf(vaultId, name))
  }

  /** Invalidates an object that was created, changed or deleted in all caches. */
  bump(vaultId: number, name: string): void {
    Atomics.add(this.#slots, slotOf(vaultId, name), 1)
  }

  ofVault(vaultId: number): number {
    return Atomics.load(this.#slots, slotOf(vaultId, ''))
  }

  /** Invalidates a whole vault: its state, rules or keys changed, or too many of its objects. */
  bumpVault(vaultId: number): void {
    Atomics.add(this.#slots, slotOf(vaultId, ''), 1)
  }
}

/** Returns the slot of a name (FNV-1a). An empty name stands for the vault itself, because no object has one. */
function slotOf(vaultId: number, name: string): number {
  let hash = Math.imul(0x811c9dc5 ^ vaultId, 0x01000193)
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  }
  return (hash ^ (hash >>> 16)) & (SLOT_COUNT - 1)
}
