import type { Gauge } from '#core/monitoring/gauges'
import { readings } from '#core/monitoring/own'

export const gauges: Gauge[] = [
  {
    name: 'berth_instances',
    help: 'Instances by status',
    read: () =>
      readings(
        `select status, count(*)::int as value from server_instances
         where status <> 'deleted' group by status`
      ),
  },
]
