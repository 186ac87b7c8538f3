import type { AccountResourceRow } from '#accounts/public'
import { accountIdOf, type Actor } from '#core/contracts/actor'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import type { Engine } from '#databases/engines'
import Database from '#databases/models/database'
import type { Server } from '#databases/servers/server'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export function databasesVisibleTo(actor: Actor, engine: Engine, trx?: TransactionClientContract) {
  const accountId = accountIdOf(actor)
  return Database.live({ client: trx }).where('databases.account_id', accountId).where({ engine })
}

/** @throws 404 if the database does not exist or belongs to another account */
export async function getDatabase(actor: Actor, engine: Engine, id: unknown): Promise<Database> {
  const key = parseRecordId(id)
  const database = key
    ? await databasesVisibleTo(actor, engine).where('id', key).preload('instance').first()
    : null
  if (!database) throw notFound('database')
  return database
}

export async function getDatabaseOfAnyEngine(actor: Actor, id: unknown): Promise<Database> {
  const key = parseRecordId(id)
  const accountId = accountIdOf(actor)
  const database = key
    ? await Database.live().where({ id: key, accountId }).preload('instance').first()
    : null
  if (!database) throw notFound('database')
  return database
}

/**
 * Returns a database of any engine. Includes dropped databases, whose backups may still exist.
 * @throws 404 if the account has no such database
 */
export async function getDatabaseEvenIfDropped(actor: Actor, id: unknown): Promise<Database> {
  const key = parseRecordId(id)
  const database = key
    ? await Database.query()
        .where({ id: key, accountId: accountIdOf(actor) })
        .first()
    : null
  if (!database) throw notFound('database')
  return database
}

export function listDatabasesOn(server: Server, trx?: TransactionClientContract) {
  const { accountId, engine, instance } = server
  const query = Database.live({ client: trx }).where({ accountId, engine }).orderBy('name')
  return instance
    ? query.where('serverInstanceId', instance.id)
    : query.whereNull('serverInstanceId')
}

/**
 * Returns a database by its name, with or without the account's prefix.
 * @throws 404 if it does not exist or belongs to another account
 */
export async function getDatabaseByName(server: Server, name: unknown): Promise<Database> {
  if (typeof name !== 'string' || !name) throw notFound('database')
  const names = [...new Set([`${server.prefix}${name}`, name])]
  const databases = await listDatabasesOn(server).whereIn('name', names).preload('instance')
  const database = names.map((each) => databases.find((one) => one.name === each)).find(Boolean)
  if (!database) throw notFound('database')
  return database
}

export async function countDatabases(accountId: number): Promise<number> {
  const [row] = await Database.live().where({ accountId }).count('* as total')
  return Number(row.$extras.total)
}

export async function sumDatabaseSizes(accountId: number): Promise<number> {
  const [row] = await Database.live().where({ accountId }).sum('size_bytes as total')
  return Number(row.$extras.total ?? 0)
}

export function databaseSubject({ id }: Pick<Database, 'id'>) {
  return { type: 'database' as const, id }
}

export async function listDatabaseResourcesOfAccount(
  accountId: number
): Promise<AccountResourceRow[]> {
  const rows = await Database.live().where({ accountId }).orderBy('id', 'desc')
  return rows.map(({ id, name, status, serverInstanceId }) => ({
    id,
    name,
    status,
    href: staffPageOfDatabase({ accountId, serverInstanceId }),
  }))
}

/**
 * Returns the page of the database's instance, or of its account if it is on the managed server. Staff have no page for
 * a single database.
 */
export function staffPageOfDatabase({
  accountId,
  serverInstanceId,
}: Pick<Database, 'accountId' | 'serverInstanceId'>) {
  return serverInstanceId
    ? (`/admin/server-instance/${serverInstanceId}` as const)
    : (`/admin/customer/${accountId}` as const)
}
