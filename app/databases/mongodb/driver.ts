import { mongodbAccounts } from '#databases/mongodb/accounts'
import { mongodbBrowse } from '#databases/mongodb/browse'
import { mongodbServers } from '#databases/mongodb/installation'
import { mongodbTransfer } from '#databases/mongodb/transfer/driver'
import type { EngineDriver } from '#databases/servers/engine'

export const mongodb: EngineDriver = {
  servers: mongodbServers,
  accounts: mongodbAccounts,
  browse: mongodbBrowse,
  transfer: mongodbTransfer,
}
