import type { ServiceDatabase } from './database.js'

/** State of a service, as `GET /health` reports it. The HTTP status is 200 for `ok`, otherwise 503. */
export type Readiness = 'ok' | 'database unavailable' | 'tables are older than this version'

const UNDEFINED_TABLE_CODE = '42P01'
/**
 * Error code for missing permissions. In an external database, the service's role may be unable to read which
 * migrations have run.
 */
const INSUFFICIENT_PRIVILEGE_CODE = '42501'

/**
 * Creates a function that checks whether a service's database responds and the required migrations have run. Newer
 * migrations may have run too, because the previous release must work with them.
 * @param schema the service's schema. Its view `migrations` lists the migrations that have run
 * @param wanted names of the required migrations
 */
export function createReadinessCheck(
  database: Pick<ServiceDatabase, 'rows'>,
  schema: 'vault' | 'mail',
  wanted: string[]
): () => Promise<Readiness> {
  let isCurrent = wanted.length === 0
  return async () => {
    try {
      if (isCurrent) {
        await database.rows('select 1')
        return 'ok'
      }
      const sql = `select name from ${schema}.migrations`
      const there = new Set((await database.rows<{ name: string }>(sql)).map(({ name }) => name))
      isCurrent = wanted.every((name) => there.has(name))
    } catch (error) {
      const { code } = error as { code?: string }
      if (code === UNDEFINED_TABLE_CODE) return 'tables are older than this version'
      if (code !== INSUFFICIENT_PRIVILEGE_CODE) return 'database unavailable'
      isCurrent = true
    }
    return isCurrent ? 'ok' : 'tables are older than this version'
  }
}
