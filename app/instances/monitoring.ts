import type { Gauge } from '#core/monitoring/gauges'
import { queryReadings } from '#core/monitoring/builtin_alerts'

export const gauges: Gauge[] = [
  {
    name: 'berth_instances',
    help: 'Server instances, by status',
    read: () =>
      queryReadings(
        `select status, count(*)::int as value from server_instances
         where status <> 'deleted' group by status`
      ),
  },
]
