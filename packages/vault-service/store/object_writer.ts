import { vaultErrors, VaultError } from '../errors.js'
import type { BodyLocation, WriteCondition, ObjectMetadata, StoredObject } from '../types.js'
import type { Database } from './database.js'
import type { ChangeCounters } from './change_counters.js'

/** An object to commit. Its content is either already stored (`bodies`, one per part) or in memory (`bytes`). */
export interface ObjectPut extends ObjectMetadata {
  vaultId: number
  name: string
  store: BodyLocation
  bodies: number[]
  sizes: number[]
  digests: string[]
  size: number
  etag: string
  condition?: WriteCondition
  bytes?: Buffer
}

interface Waiting {
  put: ObjectPut
  done(object: StoredObject): void
  failed(error: unknown): void
}

const MAX_GROUP_SIZE = 200

/**
 * Commits writes in groups, because a commit takes about the same time for one write and for many. Writes that arrive
 * while a statement runs form the next group. Of two writes to one name, the later one waits for the next group.
 */
export class ObjectWriter {
  #waiting: Waiting[] = []
  #running = false

  readonly #database: Database
  readonly #generations: ChangeCounters

  constructor(database: Database, generations: ChangeCounters) {
    this.#database = database
    this.#generations = generations
  }

  put(put: ObjectPut): Promise<StoredObject> {
    return new Promise((done, failed) => {
      this.#waiting.push({ put, done, failed })
      if (!this.#running) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#waiting.length) {
      const group = this.#takeGroup()
      try {
        await this.#commit(group)
      } catch (error) {
        // After an error, PostgreSQL may still have committed the statement, so cached objects may be outdated.
        for (const { put, failed } of group) {
          this.#generations.bump(put.vaultId, put.name)
          failed(error)
        }
      }
    }
    this.#running = false
  }

  #takeGroup(): Waiting[] {
    const names = new Set<string>()
    const group: Waiting[] = []
    const later: Waiting[] = []
    for (const one of this.#waiting) {
      const name = `${one.put.vaultId}/${one.put.name}`
      if (group.length < MAX_GROUP_SIZE && !names.has(name)) group.push(one)
      else later.push(one)
      names.add(name)
    }
    this.#waiting = later
    return group
  }

  async #commit(group: Waiting[]): Promise<void> {
    const outcomes = await writePuts(
      (text, values) => this.#database.rows(text, values),
      group.map(({ put }) => put)
    )
    for (const [at, { put, done, failed }] of group.entries()) {
      const outcome = outcomes[at]
      if (outcome instanceof VaultError) failed(outcome)
      else {
        this.#generations.bump(put.vaultId, put.name)
        done(outcome)
      }
    }
  }
}

type Run = (text: string, values: unknown[]) => Promise<object[]>

/** Writes objects with one statement. For each, returns the stored object or the error. */
export async function writePuts(
  run: Run,
  puts: ObjectPut[]
): Promise<(StoredObject | VaultError)[]> {
  const small: Buffer[] = []
  let begin = 1
  const input = puts.map(({ vaultId, condition, bytes, ...put }, at) => {
    const row = { ...put, at, vault_id: vaultId, condition: conditionText(condition) }
    if (!bytes) return row
    small.push(bytes)
    begin += bytes.length
    return { ...row, begin: begin - bytes.length }
  })
  const rows = await run('select * from vault.put_objects($1, $2)', [
    JSON.stringify(input),
    Buffer.concat(small),
  ])
  const outcomes: (StoredObject | VaultError)[] = []
  for (const { at, outcome, modified } of rows as OutcomeRow[]) {
    const { condition: _, bytes: __, ...object } = puts[at]
    if (outcome === 'ok') outcomes[at] = { ...object, modifiedAt: modified! }
    else outcomes[at] = outcome === 'condition' ? vaultErrors.condition() : vaultErrors.readOnly()
  }
  return outcomes
}

interface OutcomeRow {
  at: number
  outcome: 'ok' | 'condition' | 'closed'
  modified: Date | null
}

function conditionText(condition?: WriteCondition): string | null {
  if (!condition) return null
  return 'absent' in condition ? 'absent' : `etag:${condition.etag}`
}
