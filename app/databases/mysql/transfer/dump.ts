import { workAccount } from '#databases/mysql/server'
import { dumpStream } from '#databases/mysql/transfer/dump_stream'
import { shownName } from '#databases/names'
import type { Dump } from '#databases/servers/engine'
import type { Server } from '#databases/servers/server'

/**
 * A database as SQL, while it flows: one snapshot with everything in it. What fails before the first
 * byte is a refusal; later the stream ends with an error and never looks whole.
 */
export async function exportDump(server: Server, database: string): Promise<Dump> {
  const account = await workAccount(server, database, 'dump')
  const drop = () => account.drop().catch(() => {})
  try {
    const body = await dumpStream(server, database, account)
    body.once('close', () => void drop())
    return { body, filename: `${shownName(server, database)}.sql`, mediaType: 'application/sql' }
  } catch (error) {
    await drop()
    throw error
  }
}
