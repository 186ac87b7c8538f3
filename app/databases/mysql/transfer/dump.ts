import { listDamagedObjects, damageNotes } from '#databases/mysql/transfer/damaged_objects'
import { createTemporaryUser } from '#databases/mysql/connect'
import { openDumpStream } from '#databases/mysql/transfer/dump_stream'
import { nameWithoutPrefix } from '#databases/names'
import type { DatabaseDump } from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'

/**
 * Exports a database as an SQL dump, with the InnoDB tables as of one moment. If the dump fails before its first
 * byte, rejects. If it fails later, the stream emits an error, so that a truncated dump does not look complete.
 */
export async function exportDump(
  server: Server,
  database: string,
  { acceptsMoreDamage = false } = {}
): Promise<DatabaseDump> {
  const account = await createTemporaryUser(server, database, 'dump')
  const drop = () => account.drop().catch(() => {})
  try {
    const damaged = await listDamagedObjects(server, database, account)
    const wish = { account, damaged, acceptsMore: acceptsMoreDamage }
    const body = await openDumpStream(server, database, wish)
    body.once('close', () => void drop())
    const filename = `${nameWithoutPrefix(server, database)}.sql`
    return { body, filename, mediaType: 'application/sql', notes: () => damageNotes(damaged) }
  } catch (error) {
    await drop()
    throw error
  }
}
