import pg from 'pg'
import type { BerthHome } from '../berth_home.js'

/**
 * Connection URLs of a database, one per PostgreSQL role. They contain passwords: pass them to programs only in
 * the environment.
 */
export interface BerthDatabase {
  /** Role that owns the tables, for migrations only. */
  ownerUrl: string
  /** Role of the console's processes. It reads and writes rows, but cannot change tables. */
  appUrl: string
  /** Roles of the vault and the mail service. Each can access only its own schema. */
  vaultUrl?: string
  mailUrl?: string
  /** Text for people, without secrets. */
  description: string
  /** Stops the server if this call started it. */
  stop(): Promise<void>
}

/** @param at `host:port` of a server with the roles of `ensureDatabaseRoles` */
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
  // A lost connection also emits `error`, but the rejected call already reports it.
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
