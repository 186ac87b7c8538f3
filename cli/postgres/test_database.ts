import { StateFile, type BerthHome } from '../berth_home.js'
import type { BerthDatabase } from './connections.js'
import { asSuperuser, ensureLocalDatabaseRoles } from './database_roles.js'

/** Name of the template database for tests. All migrations have run in it, but no test. */
const TEMPLATE_DATABASE = 'berth_pattern'

/**
 * Recreates the test database, and disconnects its clients.
 * @param mark version of the tables. If the template has the same version, the new database is a copy of it
 * @returns whether the new database has the tables
 */
export async function resetDatabase(
  home: BerthHome,
  database: BerthDatabase,
  mark?: string
): Promise<boolean> {
  const port = Number(new URL(database.ownerUrl).port)
  const hasTemplate = Boolean(mark) && new StateFile(home.path).get('pattern') === mark
  await asSuperuser(home, port, async (client) => {
    await client.query('drop database if exists berth with (force)')
    if (hasTemplate)
      await client.query(`create database berth owner berth template ${TEMPLATE_DATABASE}`)
  })
  await ensureLocalDatabaseRoles(home, port)
  return hasTemplate
}

/** Makes the current test database the template for `resetDatabase`. No client may be connected. */
export async function saveDatabaseTemplate(
  home: BerthHome,
  database: BerthDatabase,
  mark: string
): Promise<void> {
  const state = new StateFile(home.path)
  state.set('pattern', '')
  await asSuperuser(home, Number(new URL(database.ownerUrl).port), async (client) => {
    await client.query(`drop database if exists ${TEMPLATE_DATABASE} with (force)`)
    await client.query(`create database ${TEMPLATE_DATABASE} template berth`)
  })
  state.set('pattern', mark)
}
