import { mysqlAdmin } from '#databases/mysql/admin'
import { mysqlServerApi } from '#databases/mysql/server_api'
import { mysqlTransfer } from '#databases/mysql/transfer/driver'
import { mysqlMonitoring } from '#databases/mysql/monitoring'
import { mysqlBrowse } from '#databases/mysql/browse'
import type { EngineDriver } from '#databases/servers/engine_driver'

export const mysqlDriver: EngineDriver = {
  servers: mysqlServerApi,
  accounts: mysqlAdmin,
  browse: mysqlBrowse,
  transfer: mysqlTransfer,
  monitoring: mysqlMonitoring,
}
