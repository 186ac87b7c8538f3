import type Database from '#databases/models/database'
import { nameWithoutPrefix } from '#databases/names'
import { databaseSubject } from '#databases/queries/databases'
import type { Server } from '#databases/servers/server'
import { accountPrefix } from '#databases/servers/resolve_database_server'
import type { DatabaseRow, MongodbUserRow, MysqlUserRow } from '#databases/transformers/page_props'
import Operation from '#core/models/operation'
import db from '@adonisjs/lucid/services/db'

type UserRow = MysqlUserRow | MongodbUserRow

export const databaseNamePrefix = ({ accountId, serverInstanceId }: Database): string =>
  serverInstanceId === null ? accountPrefix(accountId) : ''

const databaseOf = (row: UserRow) => ('User' in row ? row.Db : row.db)
const userOf = (row: UserRow) => ('User' in row ? `${row.User}@` : row._id)

export function filterUsersOfDatabase(
  { name }: Pick<Database, 'name'>,
  users: UserRow[]
): UserRow[] {
  return users.filter((row) =>
    'roles' in row
      ? row.db === name || row.roles.some((role) => role.db === name)
      : databaseOf(row) === name
  )
}

export function usersWithoutPrefix(server: Pick<Server, 'prefix'>, users: UserRow[]): UserRow[] {
  const shown = (name: string) => nameWithoutPrefix(server, name)
  return users.map((row) =>
    'User' in row
      ? { ...row, User: shown(row.User), Db: shown(row.Db) }
      : {
          ...row,
          user: shown(row.user),
          db: shown(row.db),
          roles: row.roles.map(({ role, db: of }) => ({ role, db: shown(of) })),
        }
  )
}

export async function loadDatabaseRows(rows: Database[], users: UserRow[]): Promise<DatabaseRow[]> {
  const ids = rows.map(({ id }) => id)
  const [works, copies] = await Promise.all([newestWork(ids), lastCopies(ids)])
  return rows.map((row) => ({
    id: row.id,
    name: nameWithoutPrefix({ prefix: databaseNamePrefix(row) }, row.name),
    full_name: row.name,
    size_bytes: row.sizeBytes,
    sizeOnDisk: row.engine === 'mongodb' ? row.sizeBytes : null,
    tables: row.tables,
    users: new Set(filterUsersOfDatabase(row, users).map(userOf)).size,
    last_backup_at: copies.get(row.id) ?? null,
    operation: works.get(String(row.id))?.describe() ?? null,
  }))
}

async function newestWork(ids: number[]): Promise<Map<string, Operation>> {
  if (ids.length === 0) return new Map()
  const { type } = databaseSubject({ id: 0 })
  const newest = await Operation.query()
    .distinctOn('subject_id')
    .where('subjectType', type)
    .whereIn('subjectId', ids.map(String))
    .orderBy([
      { column: 'subject_id', order: 'asc' },
      { column: 'created_at', order: 'desc' },
    ])
  return new Map(newest.map((operation) => [operation.subjectId, operation]))
}

async function lastCopies(ids: number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows: { database_id: number; at: Date }[] = await db
    .from('database_backups')
    .where('status', 'done')
    .whereIn('database_id', ids)
    .groupBy('database_id')
    .select('database_id')
    .max('finished_at as at')
  return new Map(rows.map(({ database_id: id, at }) => [id, at?.toISOString() ?? '']))
}
