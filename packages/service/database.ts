import pg from 'pg'
import { CONNECT_TIMEOUT_MS, DatabaseFrozenError, DatabaseWatch } from './database_watch.js'

/**
 * Parses `int8` as a number, because row counts and byte sizes stay below 2^53. Numeric values (money) and dates
 * remain text.
 */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
types.setTypeParser(1016 as never, (text: string) =>
  text === '{}' ? [] : text.slice(1, -1).split(',').map(Number)
)
types.setTypeParser(pg.types.builtins.DATE, (text: string) => text)

/**
 * SQLSTATE patterns of errors that leave it unknown whether the statement was committed (PostgreSQL, appendix A): lost
 * connection, shutdown, and 40003 (statement completion unknown).
 */
const OUTCOME_UNKNOWN_PATTERN = /^(08|57|40003)/
const NOT_CONNECTED_CODES = ['ECONNREFUSED', '57P03', '53300']

/** Returns whether PostgreSQL certainly rolled back the statement or transaction that threw `error`. */
export function isRolledBack(error: unknown): boolean {
  const { code = '' } = (error ?? {}) as { code?: string }
  if (NOT_CONNECTED_CODES.includes(code)) return true
  const isError = error instanceof pg.DatabaseError && error.severity === 'ERROR'
  return isError && !OUTCOME_UNKNOWN_PATTERN.test(code)
}

export type DatabaseRow = Record<string, unknown>

/** A pool of database connections. Each connection prepares each distinct statement only once. */
export class ServiceDatabase {
  readonly #pool: pg.Pool
  readonly #watch: DatabaseWatch
  readonly #names = new Map<string, string>()

  /**
   * @param name shown by PostgreSQL as `application_name`
   * @param settings PostgreSQL parameters of every connection
   */
  constructor(name: string, url: string, connections = 6, settings: Record<string, string> = {}) {
    const options = Object.entries(settings).map(([key, value]) => `-c ${key}=${value}`)
    this.#pool = new pg.Pool({
      connectionString: url,
      max: connections,
      types,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: 120_000,
      application_name: name,
      ...(options.length && { options: options.join(' ') }),
    })
    // Ignores errors of idle connections. The pool replaces a broken connection the next time that it is needed.
    this.#pool.on('error', () => {})
    this.#watch = new DatabaseWatch(url)
    this.#pool.on('connect', (client) => this.#watch.add(client))
  }

  async rows<T extends object = DatabaseRow>(text: string, values: unknown[] = []): Promise<T[]> {
    if (this.#watch.isFrozen) throw new DatabaseFrozenError()
    const { rows } = await this.#pool.query<T>({ name: this.#nameOf(text), text, values })
    return rows
  }

  async row<T extends object = DatabaseRow>(
    text: string,
    values: unknown[] = []
  ): Promise<T | undefined> {
    return (await this.rows<T>(text, values))[0]
  }

  async transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#watch.isFrozen) throw new DatabaseFrozenError()
    const client = await this.#pool.connect()
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      client.release()
      return result
    } catch (error) {
      await client.query('rollback').then(
        () => client.release(),
        () => client.release(true)
      )
      throw error
    }
  }

  /**
   * Takes a connection out of the pool, for a lock that must last as long as the connection. The caller must release
   * it.
   */
  connection(): Promise<pg.PoolClient> {
    return this.#pool.connect()
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text)
    if (known) return known
    const name = `v${this.#names.size + 1}`
    this.#names.set(text, name)
    return name
  }
}
