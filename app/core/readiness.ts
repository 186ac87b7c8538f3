import { databaseWatch } from '#config/database'
import { migrationNames } from '#database/migration_names'
import type { Readiness } from '#packages/service/readiness'
import db from '@adonisjs/lucid/services/db'

let isCurrent = false

/**
 * Checks that the database responds and has all migrations of this version. A newer schema also passes, because
 * migrations stay compatible with older code.
 */
export async function checkReadiness(): Promise<Readiness> {
  if (databaseWatch.isFrozen) return 'database unavailable'
  try {
    if (isCurrent) await db.rawQuery('select 1')
    else isCurrent = await hasAllTables()
  } catch {
    return 'database unavailable'
  }
  return isCurrent ? 'ok' : 'tables are older than this version'
}

async function hasAllTables(): Promise<boolean> {
  const rows = (await db.from('adonis_schema').select('name')) as { name: string }[]
  const there = new Set(rows.map(({ name }) => name.replace(/^.*\//, '')))
  return (await migrationNames()).every((name) => there.has(name))
}
