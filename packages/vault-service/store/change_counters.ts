const SLOT_COUNT = 65_536

/**
 * Invalidates cached entries in all threads of the process. Each name and each vault has a counter (slot) in shared
 * memory, which every change increments. If two names have the same slot, a change of one also invalidates the other. A
 * writer commits, increments the slot, and then reports success. A cache reads the slot's value BEFORE it loads an
 * entry, and uses the entry only while the slot has that value.
 */
export class ChangeCounters {
  static readonly bytes = SLOT_COUNT * Int32Array.BYTES_PER_ELEMENT

  readonly #slots: Int32Array

  /** @param shared memory that all threads share. Default: new memory, for this thread only */
  constructor(readonly shared = new SharedArrayBuffer(ChangeCounters.bytes)) {
    this.#slots = new Int32Array(shared)
  }

  of(vaultId: number, name: string): number {
    return Atomics.load(this.#slots, slotOf(vaultId, name))
  }

  /** Invalidates an object in all caches. Call it after the object was created, changed or deleted. */
  bump(vaultId: number, name: string): void {
    Atomics.add(this.#slots, slotOf(vaultId, name), 1)
  }

  ofVault(vaultId: number): number {
    return Atomics.load(this.#slots, slotOf(vaultId, ''))
  }

  /**
   * Invalidates everything of a vault in all caches. Call it after a change to its state, rules or keys, or to many of
   * its objects.
   */
  bumpVault(vaultId: number): void {
    Atomics.add(this.#slots, slotOf(vaultId, ''), 1)
  }
}

/**
 * Returns the slot of a name (FNV-1a hash). The empty name is the vault itself, because no object has an empty name.
 */
function slotOf(vaultId: number, name: string): number {
  let hash = Math.imul(0x811c9dc5 ^ vaultId, 0x01000193)
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  }
  return (hash ^ (hash >>> 16)) & (SLOT_COUNT - 1)
}
