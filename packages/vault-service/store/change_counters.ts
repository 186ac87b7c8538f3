const SLOT_COUNT = 65_536

/**
 * Tells what was kept in memory from what has changed since, in all threads of the process. Each name and
 * each vault has a slot that is raised when it changes; two that share one only cost an entry.
 *
 * Who changes something commits it, raises the slot, then reports success. Who keeps something takes the
 * slot's value BEFORE reading it, and uses it only while the slot still has that value.
 */
export class ChangeCounters {
  /** Size of what `shared` must have. */
  static readonly bytes = SLOT_COUNT * Int32Array.BYTES_PER_ELEMENT

  readonly #slots: Int32Array

  /** `shared`: the memory of the other threads; without it, it is alone. */
  constructor(readonly shared = new SharedArrayBuffer(ChangeCounters.bytes)) {
    this.#slots = new Int32Array(shared)
  }

  /** The value of a name's slot now. */
  of(vaultId: number, name: string): number {
    return Atomics.load(this.#slots, slotOf(vaultId, name))
  }

  /** The object of this name has changed, or it is there or gone now. */
  bump(vaultId: number, name: string): void {
    Atomics.add(this.#slots, slotOf(vaultId, name), 1)
  }

  /** The value of a vault's slot now. */
  ofVault(vaultId: number): number {
    return Atomics.load(this.#slots, slotOf(vaultId, ''))
  }

  /** The vault itself has changed (state, rules, keys), or so many of its names that none is told singly. */
  bumpVault(vaultId: number): void {
    Atomics.add(this.#slots, slotOf(vaultId, ''), 1)
  }
}

/** FNV-1a, of the number and the name; no object has an empty name. */
function slotOf(vaultId: number, name: string): number {
  let hash = Math.imul(0x811c9dc5 ^ vaultId, 0x01000193)
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  }
  return (hash ^ (hash >>> 16)) & (SLOT_COUNT - 1)
}
