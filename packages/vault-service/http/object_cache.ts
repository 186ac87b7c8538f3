import type { ChangeCounters } from '../store/change_counters.js'
import type { ObjectStore, Vault } from '../types.js'
import { ObjectRepresentation } from './object_representation.js'

export const MAX_CACHED_BODY_BYTES = 1024 ** 2
/**
 * Maximum age of a cached object. If the database connection breaks during a change, nobody knows whether and when
 * PostgreSQL committed it. The change counters cannot show that either.
 */
const MAX_CACHE_AGE_MS = 30_000

/** Values of the change counters of a name and its vault, read before the object was loaded. */
interface Mark {
  name: number
  vault: number
}

interface Entry {
  mark: Mark
  /** Whether a request has used the entry since the last eviction. */
  isUsed: boolean
  until: number
  representation: ObjectRepresentation
}

interface Flight {
  mark: Mark
  loading: Promise<ObjectRepresentation | undefined>
}

/**
 * Serves popular objects from memory. The change counters of an object's name and vault are read before it is loaded.
 * The cached object is valid as long as they have these values. So a read after a confirmed change never returns the
 * older object.
 */
export class ObjectCache {
  /**
   * Cached objects by vault key and name, oldest first. If an entry was used since the last eviction, the next eviction
   * keeps it once and moves it to the end.
   */
  readonly #entries = new Map<string, Entry>()
  readonly #flights = new Map<string, Flight>()
  #bytes = 0

  readonly #store: Pick<ObjectStore, 'head' | 'whole' | 'vaultById'>
  readonly #generations: ChangeCounters
  readonly #maxBytes: number

  /** @param maxBytes maximum size of this thread's cache */
  constructor(
    store: Pick<ObjectStore, 'head' | 'whole' | 'vaultById'>,
    generations: ChangeCounters,
    maxBytes = 64 * 1024 ** 2
  ) {
    this.#store = store
    this.#generations = generations
    this.#maxBytes = maxBytes
  }

  /** Upper bound of the memory that the cache uses. */
  get bytes(): number {
    return this.#bytes
  }

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

  /** Concurrent callers share one load. Returns undefined if the object does not exist. */
  load(vault: Vault, name: string): Promise<ObjectRepresentation | undefined> {
    const at = `${vault.key}/${name}`
    const mark = this.#mark(vault.id, name)
    const flying = this.#flights.get(at)
    // Uses a running load only if it started after the last change. A load that started earlier may return the older
    // object.
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
