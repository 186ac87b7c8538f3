import type { Gauge } from '#core/monitoring/gauges'
import { readings } from '#core/monitoring/own'

export const gauges: Gauge[] = [
  {
    name: 'berth_vaults',
    help: 'Vaults by status',
    read: () =>
      readings(
        `select status, count(*)::int as value from vaults where deleted_at is null group by status`
      ),
  },
  {
    name: 'berth_vault_bytes',
    help: 'What all vaults hold',
    read: () =>
      readings(
        `select coalesce(sum(bytes), 0)::float8 as value from vaults where deleted_at is null`
      ),
  },
]
