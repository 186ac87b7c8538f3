import type { ServiceDatabase } from './database.js'

/** What `GET /health` says: 200 for `ok`, otherwise 503. */
export type Readiness = 'ok' | 'database unavailable' | 'tables are older than this version'

/** PostgreSQL's codes: "undefined table", and "insufficient privilege": a login of the user's own may not see which migrations ran. */
const UNDEFINED_TABLE_CODE = '42P01'
const INSUFFICIENT_PRIVILEGE_CODE = '42501'

/**
 * Whether a service can serve: its database answers, and has run the migrations that it was written
 * for. Tables that are newer are fine: they bear older code.
 * @param schema the service's own, in which the view `migrations` has the names of those that ran
 * @param wanted names of migrations
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
