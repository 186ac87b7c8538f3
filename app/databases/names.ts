import type { Engine } from '#databases/engines'
import type { Server } from '#databases/servers/server'
import { invalid } from '#core/app_error'

/** How long names may be on the server, what keeps accounts apart counted. */
const MAX_SERVER_NAME_LENGTH = { database: 64, user: 32 }
/** What people may type of it (product, "Machines"). */
const MAX_TYPED_NAME_LENGTH = 40
/** What names of Berth's own databases and users begin with, behind what keeps accounts apart; pages leave them out. */
export const BERTH_PREFIX = 'berth_'
const NAME_PATTERN = /^[a-z0-9_]+$/

const reserved: Record<Engine, { databases: string[]; users: string[] }> = {
  mysql: {
    databases: ['mysql', 'sys', 'information_schema', 'performance_schema', 'test'],
    users: [
      'root',
      'mysql',
      'mariadb_sys',
      'mysql_sys',
      'mysql_session',
      'mysql_infoschema',
      'public',
    ],
  },
  mongodb: {
    databases: ['admin', 'local', 'config', 'test'],
    users: ['root', 'admin', '__system'],
  },
}

/** Databases of the server's own, which nobody lists, changes or drops. */
export const isReservedDatabase = (engine: Engine, name: string) =>
  name !== 'test' && reserved[engine].databases.includes(name.toLowerCase())

/** As it is typed on pages: lower case, spaces and hyphens to `_`, anything else dropped. */
export function normaliseName(sent: unknown): string {
  if (typeof sent !== 'string') return ''
  return sent
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/[^a-z0-9_]/g, '')
}

/**
 * The name of a new database as the server will call it.
 * @throws refusal 422 at the field
 */
export function parseNewDatabaseName(
  server: Server,
  sent: unknown,
  field = 'database_name'
): string {
  const name = normaliseName(sent)
  const wrong = whyNot(server, name, 'database')
  if (wrong) throw invalid({ [field]: wrong })
  return `${server.prefix}${name}`
}

/** The same of a new user. */
export function parseNewUsername(server: Server, sent: unknown, field = 'username'): string {
  const name = normaliseName(sent)
  const wrong = whyNot(server, name, 'user')
  if (wrong) throw invalid({ [field]: wrong })
  return `${server.prefix}${name}`
}

function whyNot({ engine, prefix }: Server, name: string, what: 'database' | 'user') {
  const label = what === 'database' ? 'database name' : 'username'
  const maxLength = Math.min(MAX_TYPED_NAME_LENGTH, MAX_SERVER_NAME_LENGTH[what] - prefix.length)
  if (name.length < 3)
    return `Enter a ${label} of 3 to ${maxLength} lower-case letters, digits and underscores.`
  if (name.length > maxLength) return `Use at most ${maxLength} characters for the ${label}.`
  if (!NAME_PATTERN.test(name) || /^_+$/.test(name)) {
    return `Use only lower-case letters, digits and underscores for the ${label}.`
  }
  const taken = reserved[engine][what === 'database' ? 'databases' : 'users']
  // With what keeps accounts apart before it, a name is nobody else's.
  if ((!prefix && taken.includes(name)) || name.startsWith(BERTH_PREFIX)) {
    return `The ${label} ${name} is reserved by the database server. Choose another one.`
  }
  return null
}

/** A name without what keeps accounts apart, as pages show it. */
export function nameWithoutPrefix({ prefix }: Pick<Server, 'prefix'>, name: string): string {
  return prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name
}
