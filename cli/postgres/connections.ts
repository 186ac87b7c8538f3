import pg from 'pg'
import type { BerthHome } from '../berth_home.js'

/**
 * Connection URLs of a database, one for each PostgreSQL role. They contain passwords, so programs get them only in
 * environment variables. With DATABASE_URL, the operator chooses the roles, and `ownerUrl` may equal `appUrl`.
 */
export interface BerthDatabase {
  /** URL for the role that owns the tables. Only migrations and commands use it, never the console's processes. */
  ownerUrl: string
  /** URL for the role of the console's processes. It can read and write rows, but not change tables. */
  appUrl: string
  /** URLs for the roles of the vault and the mail service. Each of these roles can access only its own schema. */
  vaultUrl?: string
  mailUrl?: string
  /** Without secrets. */
  description: string
  /** Stops the server if opening the database started it. */
  stop(): Promise<void>
}

/** @param at `host:port` of a server on which `ensureDatabaseRoles` has created the roles */
export function databaseUrlsAt(
  { secrets }: BerthHome,
  at: string,
  options = ''
): Omit<BerthDatabase, 'stop' | 'description'> {
  const urlFor = (user: string, password: string) =>
    `postgres://${user}:${password}@${at}/berth${options && `?${options}`}`
  return {
    ownerUrl: urlFor('berth', secrets.databaseOwner),
    appUrl: urlFor('berth_app', secrets.databaseApp),
    vaultUrl: urlFor('berth_vault', secrets.databaseVault),
    mailUrl: urlFor('berth_mail', secrets.databaseMail),
  }
}

export function localDatabaseUrl(
  user: string,
  password: string,
  port: number,
  database: string
): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`
}

export async function withDatabaseClient<T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>
) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  // Ignores the event `error` of a lost connection, because the running query rejects too.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

export async function selectRows<T extends pg.QueryResultRow>(
  connectionString: string,
  sql: string
): Promise<T[]> {
  return withDatabaseClient(connectionString, async (client) => (await client.query<T>(sql)).rows)
}
