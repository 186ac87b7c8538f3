import { readAllDocuments, withDatabase } from '#databases/mongodb/connect'
import { dumpDatabase } from '#databases/mongodb/transfer/dump'
import { countContents, restoreDatabase } from '#databases/mongodb/transfer/restore'
import type { TransferApi } from '#databases/servers/engine_driver'
import { invalid } from '#core/app_error'

export const mongodbTransfer: TransferApi = {
  format: 'mongodump.zip',
  requiresCredentials: true,
  assertFile(filename) {
    if (!/\.zip$/i.test(filename)) throw invalid({ file: 'Not a zip file' })
  },
  /** Reading the collections is the check: the server rejects users without read access. */
  async assertCredentials(server, database, { username, password }) {
    const account = { user: username, password, database }
    await withDatabase(
      server,
      database,
      (db) => readAllDocuments(db.listCollections({}, { nameOnly: true })),
      account
    )
  },
  import: restoreDatabase,
  export: dumpDatabase,
  contents: countContents,
}
