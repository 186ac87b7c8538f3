import type { Engine } from '#databases/engines'
import { mongodb } from '#databases/mongodb/driver'
import { mysql } from '#databases/mysql/driver'
import type { EngineDriver } from '#databases/servers/engine'

const drivers: Record<Engine, EngineDriver> = { mysql, mongodb }

/** What can be done with this kind of database. */
export function databaseDriver({ engine }: { engine: Engine }): EngineDriver {
  return drivers[engine]
}
