import type { Engine } from '#databases/engines'
import { mongodbDriver } from '#databases/mongodb/driver'
import { mysqlDriver } from '#databases/mysql/driver'
import type { EngineDriver } from '#databases/servers/engine_driver'

const drivers: Record<Engine, EngineDriver> = { mysql: mysqlDriver, mongodb: mongodbDriver }

export function databaseDriver({ engine }: { engine: Engine }): EngineDriver {
  return drivers[engine]
}
