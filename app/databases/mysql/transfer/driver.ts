import { invalid } from '#core/app_error'
import { importDump } from '#databases/mysql/transfer/import'
import { countDatabaseContents } from '#databases/mysql/transfer/database_contents'
import { isDumpFilename } from '#databases/mysql/transfer/run_dump_import'
import { exportDump } from '#databases/mysql/transfer/dump'
import { readTableStates } from '#databases/mysql/transfer/table_states'
import type { TransferApi } from '#databases/servers/engine_driver'

export const mysqlTransfer: TransferApi = {
  format: 'sql.gz',
  requiresCredentials: false,
  assertFile(filename) {
    if (!isDumpFilename(filename)) throw invalid({ file: 'Please select a .sql file to import.' })
  },
  assertCredentials: () => Promise.resolve(),
  import: importDump,
  export: exportDump,
  contents: countDatabaseContents,
  tableStates: readTableStates,
}
