import type { ChangeCounters } from '../store/change_counters.js'
import type { ObjectStore, Vault } from '../types.js'
import { ObjectRepresentation } from './object_representation.js'

/** Bodies up to this size are kept, bytes. */
export const MAX_CACHED_BODY_BYTES = 1024 ** 2
/**
 * An entry counts no longer than that, milliseconds: of a change whose outcome nobody was told, because the database
 * went away meanwhile, no slot tells when it was made.
 */
const MAX_CACHE_AGE_MS = 30_000

/** Both slots of a name, from before anything of it was read. */
interface Mark {
  name: number
  vault: number
}

interface Entry {
  mark: Mark
  /** Since it was last spared. */
  isUsed: boolean
  until: number
  representation: ObjectRepresentation
}

interface Flight {
  mark: Mark
  loading: Promise<ObjectRepresentation | undefined>
}

/**
 * Objects that were read lately, with their vaults: what is asked for most costs no database and no disk. An entry
 * counts only while the slots of its name and vault are what they were before it was read, so that nobody
 * who begins to read after a change was reported sees what was before.
 */
export class ObjectCache {
  /** By vault key and name. The oldest go first; one that was used is spared once and is the youngest then. */
  readonly #entries = new Map<string, Entry>()
  readonly #flights = new Map<string, Flight>()
  #bytes = 0

  readonly #store: Pick<ObjectStore, 'head' | 'whole' | 'vaultById'>
  readonly #generations: ChangeCounters
  readonly #maxBytes: number

  /** `maxBytes`: bytes that it holds at most, in this thread. */
  constructor(
    store: Pick<ObjectStore, 'head' | 'whole' | 'vaultById'>,
    generations: ChangeCounters,
    maxBytes = 64 * 1024 ** 2
  ) {
    this.#store = store
    this.#generations = generations
    this.#maxBytes = maxBytes
  }

  /** Bytes that it holds, at most. */
  get bytes(): number {
    return this.#bytes
  }

  /** What is kept of that name and still is so. */
  get(key: string, name: string): ObjectRepresentation | undefined {
    const at = `${key}/${name}`
    const entry = this.#entries.get(at)
    if (!entry) return undefined
    if (entry.until < Date.now() || !this.#isNow(entry.representation.vault.id, name, entry.mark)) {
      this.#drop(at, entry)
      return undefined
    }
    entry.isUsed = true
    return entry.representation
  }

  /** Reads an object and keeps it; who asks meanwhile gets the same. Undefined: there is none. */
  load(vault: Vault, name: string): Promise<ObjectRepresentation | undefined> {
    const at = `${vault.key}/${name}`
    const mark = this.#mark(vault.id, name)
    const flying = this.#flights.get(at)
    // One that began before the last change may bring what was before.
    if (flying && flying.mark.name === mark.name && flying.mark.vault === mark.vault)
      return flying.loading
    const loading = this.#read(vault, name, mark, at)
    const flight = { mark, loading }
    this.#flights.set(at, flight)
    const landed = () => {
      if (this.#flights.get(at) === flight) this.#flights.delete(at)
    }
    loading.then(landed, landed)
    return loading
  }

  async #read(
    { id }: Vault,
    name: string,
    mark: Mark,
    at: string
  ): Promise<ObjectRepresentation | undefined> {
    const until = Date.now() + MAX_CACHE_AGE_MS
    const vault = await this.#store.vaultById(id)
    const object = vault && (await this.#store.head(vault, name))
    if (!vault || !object) return undefined
    const isCacheable = object.size <= MAX_CACHED_BODY_BYTES
    const body = isCacheable ? await this.#store.whole(object) : undefined
    const representation = new ObjectRepresentation(vault, object, body)
    if (this.#isNow(id, name, mark)) this.#keep(at, { mark, isUsed: false, until, representation })
    return representation
  }

  #keep(at: string, entry: Entry): void {
    const before = this.#entries.get(at)
    if (before) this.#drop(at, before)
    this.#entries.set(at, entry)
    this.#bytes += entry.representation.bytes
    for (const [name, oldest] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      this.#drop(name, oldest)
      if (!oldest.isUsed) continue
      oldest.isUsed = false
      this.#entries.set(name, oldest)
      this.#bytes += oldest.representation.bytes
    }
  }

  #drop(at: string, { representation }: Entry): void {
    this.#entries.delete(at)
    this.#bytes -= representation.bytes
  }

  #mark(vaultId: number, name: string): Mark {
    return { name: this.#generations.of(vaultId, name), vault: this.#generations.ofVault(vaultId) }
  }

  #isNow(vaultId: number, name: string, mark: Mark): boolean {
    return (
      this.#generations.of(vaultId, name) === mark.name &&
      this.#generations.ofVault(vaultId) === mark.vault
    )
  }
}
