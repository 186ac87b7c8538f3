import type { ControlHandlers } from '#packages/service/control_handler'
import { RETENTION_TEXTS } from '../upkeep/main.js'
import type { ControlApi, TableSize } from './contract.js'
import type { ControlDeps } from './server.js'

export function tableSizeHandlers({
  database,
}: ControlDeps): Pick<ControlHandlers<ControlApi>, 'tables'> {
  return {
    async tables() {
      const rows = await database.rows<Omit<TableSize, 'kept'>>(
        `select c.relname as name, nullif(c.reltuples, -1)::bigint as rows,
           pg_total_relation_size(c.oid) as bytes
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = 'mail' and c.relkind = 'r' order by bytes desc, name`
      )
      return rows.map((row) => ({ ...row, kept: RETENTION_TEXTS[row.name] ?? null }))
    },
  }
}
