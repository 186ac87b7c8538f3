import { isWorker } from '#core/local_host'
import env from '#start/env'
import logger from '@adonisjs/core/services/logger'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import pg from 'pg'
import type { JobInsert, KnexTransactionLike, PgBoss } from 'pg-boss'

const PGBOSS_SCHEMA = 'pgboss'

/** Time for the connection, and for the answer, when the queue looks for its schema. */
const SCHEMA_TIMEOUT_MS = 5_000

let startedBoss: Promise<PgBoss> | undefined

/** The queue in our own PostgreSQL (decision 0002). Only the worker runs its upkeep. */
export function startJobQueue(): Promise<PgBoss> {
  startedBoss ??= open(isWorker()).catch((error) => {
    // The next caller tries again.
    startedBoss = undefined
    throw error
  })
  return startedBoss
}

/** Loaded by whoever has a job: most processes never do. */
const loadPgBoss = () => import('pg-boss')

async function open(working: boolean): Promise<PgBoss> {
  const { PgBoss } = await loadPgBoss()
  const opened = new PgBoss({
    connectionString: env.get('DATABASE_URL').release(),
    schema: PGBOSS_SCHEMA,
    createSchema: !(await schemaExists(PGBOSS_SCHEMA)),
    max: working ? 6 : 2,
    supervise: working,
    schedule: working,
    useListenNotify: working,
  })
  opened.on('error', (error) => logger.warn({ err: error }, 'queue'))
  await opened.start()
  return opened
}

/**
 * Returns whether a schema exists. `./berth` creates it in our own database, because a login that may create schemas
 * can replace functions of PostgreSQL. Uses its own connection: the first job of a process may be added inside a
 * transaction while all connections of the pool wait for rows that this transaction locks.
 */
async function schemaExists(schema: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: env.get('DATABASE_URL').release(),
    connectionTimeoutMillis: SCHEMA_TIMEOUT_MS,
    query_timeout: SCHEMA_TIMEOUT_MS,
  })
  // A broken connection also rejects the query. Without a listener it would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [schema])
    return rowCount === 1
  } finally {
    await client.end()
  }
}

/** Lets running jobs end (5 s) and closes the connections. */
export async function closeJobQueue(): Promise<void> {
  const open = startedBoss
  startedBoss = undefined
  known.clear()
  await (await open)?.stop({ graceful: true, timeout: 5_000 })
}

const known = new Set<string>()

/** Makes a queue where there is none yet. */
export async function ensureQueue(name: string): Promise<PgBoss> {
  const opened = await startJobQueue()
  if (!known.has(name)) {
    await opened.createQueue(name, { notify: true })
    known.add(name)
  }
  return opened
}

/** Puts jobs into a queue by one statement, within the transaction that needs them. */
export async function enqueueAll(
  name: string,
  jobs: object[],
  { trx, ...options }: Omit<JobInsert, 'data'> & { trx?: TransactionClientContract } = {}
): Promise<void> {
  const opened = await ensureQueue(name)
  const { fromKnex } = await loadPgBoss()
  const db = trx && fromKnex(trx.knexClient as KnexTransactionLike)
  const rows = jobs.map((data) => ({ ...options, data }))
  await opened.insert(name, rows, db && { db })
}
