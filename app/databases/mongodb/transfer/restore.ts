import type { DatabaseContentCounts } from '#databases/models/database_backup'
import { withTemporaryUserIfManaged } from '#databases/mongodb/admin'
import { readAllDocuments } from '#databases/mongodb/connect'
import {
  MONGODB_ERROR_CODES,
  mongodbErrorCode,
  convertMongodbError,
  mongodbErrorMessage,
} from '#databases/mongodb/mongodb_errors'
import { IMPORT_COLLECTION_PREFIX } from '#databases/mongodb/names'
import { type ListedCollection, listCollections } from '#databases/mongodb/transfer/dump'
import {
  type RestorableCollection,
  type RestorePlan,
  readRestorePlan,
} from '#databases/mongodb/transfer/restore_plan'
import {
  readDocumentBatches,
  fromExtendedJson,
  insertBsonDocuments,
  toExtendedJson,
} from '#databases/mongodb/transfer/raw_insert'
import { openZipOnMachine } from '#databases/mongodb/transfer/zip'
import type { TransferApi } from '#databases/servers/engine_driver'
import { databaseOperationFailed } from '#databases/errors'
import type { Server } from '#databases/servers/server'
import { RetryLater } from '#core/operations/operations'
import { AppError } from '#core/app_error'
import type { Db, Document, MongoClient } from 'mongodb'
import { randomBytes } from 'node:crypto'

type ImportRequest = Parameters<TransferApi['import']>[2]

interface Move {
  name: string
  /** Temporary collection with the new documents. Null: the dump has no such collection, so the old one is removed. */
  shadow: string | null
  aside: string
  /** Whether the collection existed before the import. The swap renames such a collection to `aside`. */
  had: boolean
  /**
   * Number of existing documents that a merge copied into the new collection. Absent if the import
   * replaces them.
   */
  copied?: number
}

interface Documents {
  views: { name: string; options: Document }[]
  viewsBefore: { name: string; options: Document }[]
  /** TTL indexes, which make documents expire. Created last, so that no document expires during the import. */
  expiring: { name: string; indexes: Document[] }[]
}

/** Progress of a restore. Saved before the first rename, so that an interrupted restore can resume. */
interface Journal {
  token: string
  phase: 'loading' | 'swapping' | 'undoing' | 'done'
  moves: Move[]
  documents: string
  contents: DatabaseContentCounts
  notes: string[]
  problem: string | null
}

const JOURNAL_KEY = 'mongodb'

/**
 * Loads all collections of the dump into temporary collections, and renames these when all are complete. Keeps the
 * old collections until the end. A failed restore leaves the database unchanged, or resumes from the journal.
 * @throws AppError if the import failed; RetryLater if it must resume
 */
export async function restoreDatabase(
  server: Server,
  database: string,
  request: ImportRequest
): Promise<{ contents: DatabaseContentCounts; notes: string[] }> {
  try {
    return await withTemporaryUserIfManaged(server, database, 'all', (db, client) =>
      new Restore(server, db, client, request).run()
    )
  } catch (error) {
    const { phase } = (request.memory[JOURNAL_KEY] ?? {}) as Partial<Journal>
    // Some collections are already renamed, so the restore must resume.
    if ((phase === 'swapping' || phase === 'undoing') && isDown(error)) {
      throw new RetryLater('Waiting for the database server to continue the import', 5_000)
    }
    if (error instanceof AppError || error instanceof RetryLater || request.signal.aborted)
      throw error
    const appError = convertMongodbError(error)
    throw appError instanceof AppError
      ? appError
      : databaseOperationFailed(`${IMPORT_FAILED_MESSAGE}: ${mongodbErrorMessage(error)}`, error)
  }
}

const IMPORT_FAILED_MESSAGE = 'The import failed, and the database is unchanged'

class Restore {
  #journal!: Journal

  readonly #server: Server
  readonly #db: Db
  readonly #client: MongoClient
  readonly #request: ImportRequest

  constructor(server: Server, db: Db, client: MongoClient, request: ImportRequest) {
    this.#server = server
    this.#db = db
    this.#client = client
    this.#request = request
  }

  async run() {
    const journal = this.#request.memory[JOURNAL_KEY] as Journal | undefined
    if (!journal || journal.phase === 'loading') {
      if (journal) await this.#removeOf(journal.token)
      await this.#load()
      await this.#request.commitPoint()
      await this.#note({ phase: 'swapping' })
    } else {
      this.#journal = journal
    }
    if (this.#journal.phase === 'undoing') await this.#undo()
    if (this.#journal.phase === 'swapping') {
      await this.#swap()
      await this.#note({ phase: 'done' })
    }
    await this.#removeOf(this.#journal.token)
    return { contents: this.#journal.contents, notes: this.#journal.notes }
  }

  async #note(change: Partial<Journal>): Promise<void> {
    this.#journal = { ...this.#journal, ...change }
    await this.#request.saveValue(JOURNAL_KEY, this.#journal)
  }

  async #load(): Promise<void> {
    const user = this.#server.instance ? { user: 'root' as const } : {}
    const zip = await openZipOnMachine(this.#server.machine, this.#request.file, user)
    const token = randomBytes(4).toString('hex')
    this.#journal = {
      token,
      phase: 'loading',
      moves: [],
      documents: '{}',
      contents: emptyContents(),
      notes: [],
      problem: null,
    }
    try {
      const plan = await readRestorePlan(zip)
      await this.#note({ notes: plan.notes })
      await this.#loadAll(plan)
    } catch (error) {
      await this.#removeOf(token).catch(() => {})
      throw error
    } finally {
      zip.close()
    }
  }

  async #loadAll(plan: RestorePlan): Promise<void> {
    const before = await listCollections(this.#db)
    const { token, contents, notes } = this.#journal
    const isThere = (wanted: string) =>
      before.some(({ name, type }) => name === wanted && type === 'collection')
    const moves: Move[] = []
    const expiring: Documents['expiring'] = []
    const all = plan.collections.reduce((sum, { size }) => sum + size, 0)
    let done = 0
    for (const collection of plan.collections) {
      const { name } = collection
      const had = isThere(name)
      const shadow = `${IMPORT_COLLECTION_PREFIX}${token}_${moves.length}`
      await this.#db.command({ create: shadow, ...collection.options })
      const copied = this.#request.merge && had ? await this.#copy(name, shadow) : 0
      const { taken, left } = await this.#fill(shadow, collection, (bytes) =>
        this.#report(name, done + bytes, all)
      )
      done += collection.size
      if (left > 0) {
        notes.push(
          `${left} documents of ${name} already existed with the same _id. The existing documents were kept.`
        )
      }
      const expected = copied + taken - left
      await this.#assertCount(shadow, collection, expected)
      const rest = await this.#index(shadow, collection)
      if (rest.length > 0) expiring.push({ name, indexes: rest })
      contents.tables++
      contents.rows += expected
      moves.push({
        name,
        shadow,
        aside: `${IMPORT_COLLECTION_PREFIX}${token}_old_${moves.length}`,
        had,
        copied: this.#request.merge && had ? copied : undefined,
      })
    }
    const names = new Set([...plan.collections, ...plan.views].map(({ name }) => name))
    const loaded = new Set(plan.collections.map(({ name }) => name))
    for (const { name, type } of before) {
      if (type === 'timeseries') notes.push(`The existing time series ${name} was kept unchanged.`)
      const goes = type === 'collection' && !loaded.has(name) && name !== 'system.js'
      if (!goes || (this.#request.merge && !names.has(name))) continue
      moves.push({
        name,
        shadow: null,
        had: true,
        aside: `${IMPORT_COLLECTION_PREFIX}${token}_old_${moves.length}`,
      })
    }
    const viewsBefore = before.filter(({ type }) => type === 'view').map(viewOf)
    const staying = this.#request.merge ? viewsBefore.filter(({ name }) => !names.has(name)) : []
    const views = [...staying, ...plan.views]
    contents.views = views.length
    const documents: Documents = { views, viewsBefore, expiring }
    await this.#assertUntouched(before, moves)
    await this.#note({ moves, documents: toExtendedJson(documents), contents, notes })
  }

  readonly #copied = new Map<string, number>()

  async #copy(from: string, to: string): Promise<number> {
    const cursor = this.#db.collection(from).find({}, { raw: true, batchSize: 1_000 })
    const bytes = cursor as unknown as AsyncIterable<Uint8Array>
    let count = 0
    try {
      for await (const { documents } of readDocumentBatches(bytes, from)) {
        this.#request.signal.throwIfAborted()
        await insertBsonDocuments(this.#db, to, documents, { skipTaken: true, unvalidated: true })
        count += documents.length
      }
    } finally {
      await cursor.close()
    }
    this.#copied.set(from, count)
    return count
  }

  /**
   * For a merge: throws if the number of documents changed since the copy, or if a program created a collection that
   * the file also contains, because such changes would be lost. Does not detect changes that leave the number equal.
   */
  async #assertUntouched(before: ListedCollection[], moves: Move[]): Promise<void> {
    if (!this.#request.merge) return
    const known = new Set(before.map(({ name }) => name))
    const names = await this.#names()
    const created = moves.find(({ name }) => !known.has(name) && names.has(name))
    if (created) throw collectionChanged(created.name)
    for (const [name, copied] of this.#copied) {
      if ((await this.#count(name)) !== copied) throw collectionChanged(name)
    }
  }

  async #fill(
    shadow: string,
    { documents, name, options }: RestorableCollection,
    report: (bytes: number) => Promise<void>
  ): Promise<{ taken: number; left: number }> {
    let [taken, left, bytes] = [0, 0, 0]
    if (!documents) return { taken, left }
    const stream = await documents.read()
    try {
      for await (const batch of readDocumentBatches(stream, `The file of ${name}`)) {
        this.#request.signal.throwIfAborted()
        left += await insertBsonDocuments(this.#db, shadow, batch.documents, {
          skipTaken: this.#request.merge,
          unvalidated: options.validator !== undefined,
        })
        taken += batch.documents.length
        await report((bytes += batch.size))
      }
    } finally {
      stream.destroy()
    }
    return { taken, left }
  }

  #reportedAt = 0

  async #report(name: string, done: number, all: number): Promise<void> {
    if (Date.now() - this.#reportedAt < 500) return
    this.#reportedAt = Date.now()
    const text = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`
    await this.#request.report(
      `${name}: ${text(done)} of ${text(all)}`,
      all > 0 ? done / all : undefined
    )
  }

  async #count(name: string): Promise<number> {
    return this.#db.collection(name).countDocuments({})
  }

  async #assertCount(shadow: string, { name, options }: RestorableCollection, expected: number) {
    // A capped collection deletes its oldest documents, so the numbers may differ.
    if (options.capped) return
    const there = await this.#count(shadow)
    if (there !== expected) {
      throw databaseOperationFailed(
        `${IMPORT_FAILED_MESSAGE}: ${expected} documents of ${name} were imported, but the server counts ${there}.`
      )
    }
  }

  /** Creates all indexes except TTL indexes. Returns the TTL indexes. */
  async #index(shadow: string, { indexes, name }: RestorableCollection): Promise<Document[]> {
    const lasting = indexes.filter(({ expireAfterSeconds }) => expireAfterSeconds === undefined)
    if (lasting.length > 0) await this.#createIndexes(shadow, lasting, name)
    return indexes.filter((each) => !lasting.includes(each))
  }

  async #createIndexes(collection: string, indexes: Document[], name: string) {
    try {
      await this.#db.command({ createIndexes: collection, indexes })
    } catch (error) {
      throw databaseOperationFailed(
        `${IMPORT_FAILED_MESSAGE}. An index of ${name} could not be created: ${mongodbErrorMessage(error)}`
      )
    }
  }

  get #documents(): Documents {
    return fromExtendedJson(this.#journal.documents) as unknown as Documents
  }

  /**
   * Renames the new collections to their final names, and creates the views and TTL indexes. Safe to repeat after an
   * interruption. If a step fails, rolls back, unless the connection failed.
   */
  async #swap(): Promise<void> {
    const { viewsBefore, views, expiring } = this.#documents
    try {
      // A view with the name of a new collection must be dropped first.
      for (const { name } of viewsBefore) await this.#dropView(name)
      for (const { name, shadow, aside, had, copied } of this.#journal.moves) {
        const there = await this.#names()
        if (shadow && !there.has(shadow)) continue
        if (had && there.has(name) && !there.has(aside)) await this.#rename(name, aside)
        if (copied !== undefined && (await this.#count(aside)) !== copied) {
          throw collectionChanged(name)
        }
        // Renaming would drop a collection that a program has created under this name since.
        if (this.#request.merge && (await this.#names()).has(name)) throw collectionChanged(name)
        if (shadow) await this.#rename(shadow, name)
      }
      for (const { name, options } of views) {
        await this.#dropView(name)
        await this.#db.command({ create: name, ...options })
      }
      for (const { name, indexes } of expiring) await this.#createIndexes(name, indexes, name)
    } catch (error) {
      if (isDown(error)) throw error
      await this.#note({ phase: 'undoing', problem: mongodbErrorMessage(error) })
      await this.#undo()
    }
  }

  /**
   * Moves the old collections back. Safe to repeat after an interruption. When it has finished, throws the reason for
   * the rollback.
   */
  async #undo(): Promise<never> {
    const { moves, token, problem } = this.#journal
    const { viewsBefore, views } = this.#documents
    for (const { name } of views) await this.#dropView(name)
    for (const { name, shadow, aside, had } of [...moves].reverse()) {
      const there = await this.#names()
      if (there.has(aside)) {
        // A program has created the collection after the old one was moved away. Keeps its documents with new `_id`s.
        if (shadow && there.has(shadow) && there.has(name)) await this.#copy(name, aside)
        await this.#rename(aside, name)
      } else if (!had && shadow && !there.has(shadow) && there.has(name)) {
        await this.#db.dropCollection(name)
      }
    }
    for (const { name, options } of viewsBefore) {
      await this.#dropView(name)
      await this.#db.command({ create: name, ...options })
    }
    await this.#removeOf(token)
    await this.#note({ phase: 'loading' })
    const message = problem ?? ''
    throw databaseOperationFailed(
      isCompleteMessage(message) ? message : `${IMPORT_FAILED_MESSAGE}: ${message}`
    )
  }

  async #names(): Promise<Set<string>> {
    const all = await readAllDocuments(this.#db.listCollections({}, { nameOnly: true }))
    return new Set(all.map(({ name }) => name))
  }

  async #dropView(name: string): Promise<void> {
    const [collection] = await readAllDocuments(this.#db.listCollections({ name }))
    if (collection && 'type' in collection && collection.type === 'view')
      await this.#db.dropCollection(name)
  }

  /** First drops a collection that an application has created under the new name. */
  async #rename(from: string, to: string): Promise<void> {
    const { databaseName } = this.#db
    if ((await this.#names()).has(to)) await this.#db.dropCollection(to)
    await this.#client.db('admin').command({
      renameCollection: `${databaseName}.${from}`,
      to: `${databaseName}.${to}`,
    })
  }

  async #removeOf(token: string): Promise<void> {
    for (const name of await this.#names()) {
      if (!name.startsWith(`${IMPORT_COLLECTION_PREFIX}${token}_`)) continue
      try {
        await this.#db.dropCollection(name)
      } catch (error) {
        if (mongodbErrorCode(error) !== MONGODB_ERROR_CODES.namespaceNotFound) throw error
      }
    }
  }
}

const COLLECTION_CHANGED_MESSAGE = 'A program changed the collection '

function collectionChanged(name: string) {
  return databaseOperationFailed(
    `${COLLECTION_CHANGED_MESSAGE}${name} during the import, so nothing was imported. Stop programs that write to it and import again.`
  )
}

const isCompleteMessage = (message: string) =>
  [IMPORT_FAILED_MESSAGE, COLLECTION_CHANGED_MESSAGE].some((start) => message.startsWith(start))

const viewOf = ({ name, options }: ListedCollection) => ({ name, options })

const emptyContents = (): DatabaseContentCounts => ({
  tables: 0,
  rows: 0,
  views: 0,
  routines: 0,
  triggers: 0,
  events: 0,
})

const isDown = (error: unknown) => {
  if (error instanceof AppError) return error.status === 503
  return error instanceof Error && /^Mongo(Network|ServerSelection|PoolCleared)/.test(error.name)
}

export async function countContents(
  server: Server,
  database: string
): Promise<DatabaseContentCounts> {
  return withTemporaryUserIfManaged(server, database, 'read', async (db) => {
    const contents = emptyContents()
    for (const { name, type } of await listCollections(db)) {
      if (type === 'view') contents.views++
      else contents.tables++
      if (type !== 'view') contents.rows += await db.collection(name).countDocuments({})
    }
    return contents
  })
}
