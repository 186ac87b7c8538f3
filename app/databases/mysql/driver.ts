import { mysqlAccounts } from '#databases/mysql/accounts'
import { mysqlServers } from '#databases/mysql/installation'
import { mysqlTransfer } from '#databases/mysql/transfer/driver'
import { mysqlWatch } from '#databases/mysql/watch'
import { mysqlBrowse } from '#databases/query/mysql'
import type { EngineDriver } from '#databases/servers/engine'

export const mysql: EngineDriver = {
  servers: mysqlServers,
  accounts: mysqlAccounts,
  browse: mysqlBrowse,
  transfer: mysqlTransfer,
  watch: mysqlWatch,
}
