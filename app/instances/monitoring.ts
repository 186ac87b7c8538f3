import type { Gauge } from '#core/monitoring/gauges'
import { queryGaugeReadings } from '#core/monitoring/builtin_alerts_and_gauges'

export const gauges: Gauge[] = [
  {
    name: 'berth_instances',
    help: 'Server instances, by status',
    read: () =>
      queryGaugeReadings(
        `select status, count(*)::int as value from server_instances
         where status <> 'deleted' group by status`
      ),
  },
]
