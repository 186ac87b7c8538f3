import { mongodbAdmin } from '#databases/mongodb/admin'
import { mongodbBrowse } from '#databases/mongodb/browse'
import { mongodbServerApi } from '#databases/mongodb/server_api'
import { mongodbTransfer } from '#databases/mongodb/transfer/driver'
import type { EngineDriver } from '#databases/servers/engine_driver'

export const mongodbDriver: EngineDriver = {
  servers: mongodbServerApi,
  accounts: mongodbAdmin,
  browse: mongodbBrowse,
  transfer: mongodbTransfer,
}
