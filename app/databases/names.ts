import type { Engine } from '#databases/engines'
import type { Server } from '#databases/servers/server'

const MAX_SERVER_NAME_LENGTH = { database: 64, user: 32 }
const MAX_TYPED_NAME_LENGTH = 40
/**
 * Start of the names of Berth's own users, and of its own databases after the account's prefix. Pages do not list
 * them.
 */
export const RESERVED_NAME_PREFIX = 'berth_'
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

/** Returns whether a database belongs to the database server itself. Nobody can list, change or drop it. */
export const isReservedDatabase = (engine: Engine, name: string) =>
  name !== 'test' && reserved[engine].databases.includes(name.toLowerCase())

/**
 * Converts a name to lower case, replaces spaces and hyphens by `_`, and removes all other characters that are not
 * allowed.
 */
export function normaliseName(sent: unknown): string {
  if (typeof sent !== 'string') return ''
  return sent
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/[^a-z0-9_]/g, '')
}

export function findNameProblem(
  { engine, prefix }: Server,
  name: string,
  what: 'database' | 'user'
): string | null {
  const label = what === 'database' ? 'database name' : 'username'
  const maxLength = Math.min(MAX_TYPED_NAME_LENGTH, MAX_SERVER_NAME_LENGTH[what] - prefix.length)
  if (name.length < 3)
    return `Enter a ${label} of 3 to ${maxLength} lower-case letters, digits and underscores.`
  if (name.length > maxLength) return `Use at most ${maxLength} characters for the ${label}.`
  if (!NAME_PATTERN.test(name) || /^_+$/.test(name)) {
    return `Use only lower-case letters, digits and underscores for the ${label}.`
  }
  const taken = reserved[engine][what === 'database' ? 'databases' : 'users']
  // With the account's prefix, the name differs from the server's reserved names.
  if ((!prefix && taken.includes(name)) || name.startsWith(RESERVED_NAME_PREFIX)) {
    return `The ${label} ${name} is reserved by the database server. Choose another one.`
  }
  return null
}

export function nameWithoutPrefix({ prefix }: Pick<Server, 'prefix'>, name: string): string {
  return prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name
}
