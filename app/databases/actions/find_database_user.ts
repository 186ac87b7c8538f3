import type Database from '#databases/models/database'
import { databaseServerSubject, serverTopic } from '#databases/servers/sync_server'
import { nameWithoutPrefix } from '#databases/names'
import { databaseDriver } from '#databases/servers/drivers'
import type { DatabaseUserKey } from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import { audit } from '#core/audit/audit'
import { publish } from '#core/live/live_events'
import { notFound } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * Searches only the account's users, so that no request can name a system user or a user of another account.
 * @throws 404 if there is no such user
 */
export async function getDatabaseUser(
  server: Server,
  username: unknown,
  host?: unknown
): Promise<DatabaseUserKey> {
  if (typeof username !== 'string' || !username) throw notFound('user')
  const users = await databaseDriver(server).accounts.users(server)
  const keys = users.map((row): DatabaseUserKey =>
    'User' in row ? { username: row.User, host: row.Host } : { username: row.user, host: row.db }
  )
  const isNamed = ({ host: of }: DatabaseUserKey) =>
    typeof host !== 'string' || host === of || host === nameWithoutPrefix(server, of)
  const userKey = keys.find(
    (key) => nameWithoutPrefix(server, key.username) === username && isNamed(key)
  )
  if (!userKey) throw notFound('user')
  return userKey
}

/** Also notifies pages that show the server. `after` must not contain a password. */
export async function auditDatabaseUserChange(
  ctx: HttpContext,
  action: 'store' | 'password' | 'access' | 'remote' | 'remove',
  server: Server,
  database: Database | null,
  after: Record<string, unknown>
): Promise<void> {
  const { accountId, instance } = server
  const subject = database
    ? {
        type: 'database' as const,
        id: database.id,
        label: nameWithoutPrefix(server, database.name),
      }
    : {
        type: 'database' as const,
        id: databaseServerSubject(server).id,
        label: instance?.name ?? 'the managed server',
      }
  await audit({
    actor: ctx.actor,
    accountId,
    action: `database.user_${action}`,
    subject,
    after,
    ip: ctx.request.ip(),
  })
  await publish(serverTopic(server), { owner: accountId })
}
