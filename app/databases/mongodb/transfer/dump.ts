import { connectAsTemporaryUserIfManaged } from '#databases/mongodb/admin'
import { readAllDocuments } from '#databases/mongodb/connect'
import {
  MONGODB_ERROR_CODES,
  mongodbErrorCode,
  convertMongodbError,
  mongodbErrorMessage,
} from '#databases/mongodb/mongodb_errors'
import { isUserCollection, IMPORT_COLLECTION_PREFIX } from '#databases/mongodb/names'
import {
  TIME_SERIES_BUCKETS_PREFIX,
  DOCUMENTS_EXTENSION,
  dumpFileBaseName,
  METADATA_EXTENSION,
  type CollectionMetadata,
  PRELUDE_FILE,
} from '#databases/mongodb/transfer/mongodump_layout'
import { toExtendedJson } from '#databases/mongodb/transfer/raw_insert'
import type { DatabaseDump } from '#databases/servers/engine_driver'
import { nameWithoutPrefix } from '#databases/names'
import type { Server } from '#databases/servers/server'
import type { ClientSession, Db, Document, MongoClient } from 'mongodb'
import { PassThrough, Readable } from 'node:stream'
import { ZipFile } from 'yazl'

const DUMP_CHUNK_BYTES = 512 * 1024
const CURSOR_BATCH_SIZE = 1_000

export interface ListedCollection {
  name: string
  type: 'collection' | 'view' | 'timeseries'
  options: Document
  info: Document
}

/**
 * Exports a database as a zip file in mongodump's layout. It contains `<database>/<collection>.bson` with the
 * documents, `.metadata.json` with options and indexes, and `prelude.json`. If the server can read a snapshot, all
 * documents are from it; otherwise the zip file's comment says that they are not from one moment. If the export is
 * interrupted, `body` emits an error.
 */
export async function dumpDatabase(server: Server, database: string): Promise<DatabaseDump> {
  const { client, close } = await connectAsTemporaryUserIfManaged(server, database, 'read')
  const name = nameWithoutPrefix(server, database)
  try {
    const db = client.db(database)
    const listed = await listCollections(db)
    const version = await readServerVersion(client)
    const session = await snapshotOf(client, db, listed)
    const zip = new ZipFile()
    const body = new PassThrough()
    body.once('close', () => void close())
    zip.once('error', (error: unknown) => body.destroy(dumpInterrupted(error)))
    zip.outputStream.pipe(body)
    for (const collection of listed) {
      const folder = `${name}/`
      const metadata = await metadataOf(db, collection)
      zip.addBuffer(
        Buffer.from(toExtendedJson(metadata)),
        `${folder}${dumpFileBaseName(collection.name)}${METADATA_EXTENSION}`
      )
      if (collection.type === 'view') continue
      const storageName = storageCollectionName(collection)
      zip.addReadStreamLazy(
        `${folder}${dumpFileBaseName(storageName)}${DOCUMENTS_EXTENSION}`,
        (take) => {
          const documents = documentsOf(db, storageName, session, body)
          documents.once('error', (error) => body.destroy(dumpInterrupted(error)))
          take(null, documents)
        }
      )
    }
    const prelude = { ServerVersion: version, ToolVersion: '100.18.0' }
    zip.addBuffer(Buffer.from(JSON.stringify(prelude)), `${name}/${PRELUDE_FILE}`)
    zip.end({
      comment: session ? 'All data is from the same moment.' : INCONSISTENT_DUMP_NOTE,
      forceZip64Format: false,
    })
    return { body, filename: `${name}.zip`, mediaType: 'application/zip', notes: () => [] }
  } catch (error) {
    await close()
    throw convertMongodbError(error)
  }
}

const INCONSISTENT_DUMP_NOTE =
  'The data is not from one moment, because this server is not a replica set. Changes made during the export may be in one collection and not in another.'

function dumpInterrupted(error: unknown): Error {
  const appError = convertMongodbError(error)
  return appError instanceof Error ? appError : new Error(mongodbErrorMessage(error))
}

/** The stream of BSON fails if the export fails or ends early. */
function documentsOf(
  db: Db,
  collection: string,
  session: ClientSession | undefined,
  body: PassThrough
): Readable {
  const batches = async function* () {
    const cursor = db
      .collection(collection)
      .find({}, { raw: true, batchSize: CURSOR_BATCH_SIZE, session })
    try {
      let waiting: Uint8Array[] = []
      let size = 0
      // With `raw`, the cursor returns BSON bytes, although its TypeScript type says documents.
      for await (const document of cursor as unknown as AsyncIterable<Uint8Array>) {
        if (body.destroyed) throw new Error('The client closed the export')
        waiting.push(document)
        size += document.length
        if (size < DUMP_CHUNK_BYTES) continue
        yield Buffer.concat(waiting)
        waiting = []
        size = 0
      }
      if (size > 0) yield Buffer.concat(waiting)
    } finally {
      await cursor.close().catch(() => {})
    }
  }
  return Readable.from(batches(), { objectMode: false, highWaterMark: DUMP_CHUNK_BYTES })
}

export const storageCollectionName = ({ type, name }: Pick<ListedCollection, 'type' | 'name'>) =>
  type === 'timeseries' ? `${TIME_SERIES_BUCKETS_PREFIX}${name}` : name

/** Sorted by name. Includes `system.js`, which contains JavaScript functions that the customer stored. */
export async function listCollections(db: Db): Promise<ListedCollection[]> {
  const collections = (await readAllDocuments(
    db.listCollections({}, { promoteValues: false })
  )) as unknown as Document[]
  const listed = collections.map((each): ListedCollection => ({
    name: String(each.name),
    type: each.type ? (String(each.type) as ListedCollection['type']) : 'collection',
    options: (each.options ?? {}) as Document,
    info: (each.info ?? {}) as Document,
  }))
  return listed
    .filter(({ name }) => isUserCollection(name) || name === 'system.js')
    .filter(({ name }) => !name.startsWith(IMPORT_COLLECTION_PREFIX))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Does not convert number types, because servers distinguish an index on `{ a: 1 }` from one on `{ a: 1.0 }`. */
export async function listIndexes(db: Db, collection: string): Promise<Document[]> {
  return readAllDocuments(db.collection(collection).listIndexes({ promoteValues: false }))
}

async function metadataOf(
  db: Db,
  { name, type, options, info }: ListedCollection
): Promise<CollectionMetadata> {
  const uuid = info.uuid as { buffer?: Uint8Array } | undefined
  return {
    ...(Object.keys(options).length > 0 && { options }),
    indexes: type === 'view' ? [] : await listIndexes(db, name),
    ...(uuid?.buffer && { uuid: Buffer.from(uuid.buffer).toString('hex') }),
    collectionName: name,
    type,
  }
}

/**
 * Starts a session that reads one snapshot, on a replica set or sharded server. Returns undefined on other servers,
 * if the server cannot read a snapshot, and for a database without ordinary collections.
 */
async function snapshotOf(
  client: MongoClient,
  db: Db,
  listed: ListedCollection[]
): Promise<ClientSession | undefined> {
  const { setName, msg } = await client.db('admin').command({ hello: 1 })
  const first = listed.find(({ type }) => type === 'collection')
  if ((!setName && msg !== 'isdbgrid') || !first) return undefined
  const session = client.startSession({ snapshot: true })
  try {
    await db.collection(first.name).findOne({}, { session })
    return session
  } catch (error) {
    await session.endSession()
    const code = mongodbErrorCode(error)
    if (
      code === MONGODB_ERROR_CODES.snapshotUnavailable ||
      code === MONGODB_ERROR_CODES.notImplemented
    )
      return undefined
    throw error
  }
}

export async function readServerVersion(client: MongoClient): Promise<string> {
  const { version } = await client.db('admin').command({ buildInfo: 1 })
  return String(version)
}
