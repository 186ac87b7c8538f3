import { withTemporaryUserIfManaged } from '#databases/mongodb/admin'
import { readAllDocuments, withConnection, withDatabase } from '#databases/mongodb/connect'
import { collectionNameProblem } from '#databases/mongodb/read_only'
import { parseCommand } from '#databases/mongodb/parse_command'
import { documentCell, readCells } from '#databases/mongodb/read_cells'
import { listCollections, storageCollectionName } from '#databases/mongodb/transfer/dump'
import type { BrowseApi } from '#databases/servers/engine_driver'
import type { TableSummary } from '#databases/transformers/page_props'
import { notFound } from '#core/app_error'
import { BSON, type Db, type Document } from 'mongodb'

const DEFAULT_PAGE_DOCUMENTS = 50
const PAGE_TIMEOUT_SECONDS = 20

/** Each document is one cell that contains JSON. */
export const mongodbBrowse: BrowseApi = {
  tables: (server, database) =>
    withDatabase(server, database, async (db) => {
      const rows: TableSummary[] = []
      for (const collection of await listCollections(db)) {
        const isView = collection.type === 'view'
        const { rows: count, size } = isView
          ? { rows: null, size: null }
          : await sizeOf(db, storageCollectionName(collection))
        rows.push({
          name: collection.name,
          type: isView ? 'view' : 'collection',
          rows: count,
          size_bytes: size,
        })
      }
      return rows
    }),

  async rows(
    server,
    database,
    { table, page, filter, limit = DEFAULT_PAGE_DOCUMENTS }: RowsRequest
  ) {
    assertCollection(table)
    const question = filter ? parseCommand(findOf(table, filter), false).command.filter : {}
    return withTemporaryUserIfManaged(server, database, 'read', async (db) => {
      const cursor = db
        .collection(table)
        .find((question ?? {}) as Document, {
          ...RAW_VALUE_OPTIONS,
          maxTimeMS: PAGE_TIMEOUT_SECONDS * 1_000,
        })
        .skip(Math.max(0, page - 1) * limit)
        .limit(limit + 1)
      try {
        return { columns: ['document'], ...(await readCells(cursor, limit)) }
      } finally {
        await cursor.close().catch(() => {})
      }
    })
  },

  async structure(server, database, table) {
    assertCollection(table)
    return withDatabase(server, database, async (db) => {
      const indexes = await readAllDocuments(db.collection(table).listIndexes())
      return {
        columns: [],
        indexes: indexes.map(({ name, key, unique }) => ({
          name: String(name),
          columns: Object.entries(key as Document).map(([field, way]) =>
            way === 1 ? field : `${field} (${String(way)})`
          ),
          unique: Boolean(unique) || name === '_id_',
        })),
      }
    })
  },

  async query(server, database, { id, text, write, limit, timeout }) {
    const { command, name, byCursor, changes } = parseCommand(text, write)
    const bounded: Document = {
      ...command,
      comment: commentOf(id),
      ...(name !== 'listCollections' && name !== 'listIndexes' && { maxTimeMS: timeout * 1_000 }),
      ...(name === 'aggregate' && { cursor: { batchSize: limit + 1 } }),
      ...(name === 'find' && { limit: Math.min(Number(command.limit) || limit + 1, limit + 1) }),
    }
    return withTemporaryUserIfManaged(server, database, changes ? 'all' : 'read', async (db) => {
      const began = performance.now()
      const done = (rows: (string | null)[][], more: boolean, changed: number | null) => ({
        columns: ['document'],
        rows,
        more,
        changed,
        took: Math.round(performance.now() - began),
      })
      if (byCursor) {
        const cursor = await db.runCursorCommand(bounded, {
          ...RAW_VALUE_OPTIONS,
          timeoutMode: 'iteration',
        })
        try {
          const { rows, more } = await readCells(cursor, limit)
          return done(rows, more, null)
        } finally {
          await cursor.close().catch(() => {})
        }
      }
      const answer = await db.command(bounded, RAW_VALUE_OPTIONS)
      const failed = (answer.writeErrors as { errmsg: string }[] | undefined)?.[0]
      if (failed) throw new BSON.BSONError(String(failed.errmsg))
      const rows = [[documentCell(withoutServersOwn(answer))]]
      return done(rows, false, changes ? Number(answer.nModified ?? answer.n ?? 0) : null)
    })
  },

  cancel: (server, database, id) =>
    withConnection(server, async (client) => {
      const admin = client.db('admin')
      const running = await readAllDocuments(
        admin.aggregate([
          { $currentOp: { allUsers: true } },
          { $match: { 'command.comment': commentOf(id) } },
        ])
      )
      for (const { opid, command } of running) {
        // Another program can set the same comment on a query of another database. Such a query continues.
        if ((command as Document).$db === database) await admin.command({ killOp: 1, op: opid })
      }
    }),
}

interface RowsRequest {
  table: string
  /** Starts at 1. */
  page: number
  filter?: string
  limit?: number
}

/** Keeps types that JavaScript lacks, which are then shown as Extended JSON. */
const RAW_VALUE_OPTIONS = { promoteLongs: false, promoteBuffers: false } as const

const commentOf = (id: string) => `berth:${id}`

const findOf = (table: string, filter: string) =>
  `{"find":${JSON.stringify(table)},"filter":${filter}}`

function assertCollection(name: string): void {
  if (collectionNameProblem(name)) throw notFound('collection')
}

/** Returns the server's estimates of rows and bytes. Null: unavailable. */
async function sizeOf(db: Db, name: string): Promise<{ rows: number | null; size: number | null }> {
  try {
    const stats = await db.command({ collStats: name })
    return { rows: Number(stats.count ?? 0), size: Number(stats.storageSize ?? stats.size ?? 0) }
  } catch {
    return { rows: null, size: null }
  }
}

function withoutServersOwn(answer: Document): Document {
  const { $clusterTime, operationTime, ...rest } = answer
  void $clusterTime
  void operationTime
  return rest
}
