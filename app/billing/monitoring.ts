import type { Gauge } from '#core/monitoring/gauges'
import { queryGaugeReadings } from '#core/monitoring/builtin_alerts_and_gauges'

export const gauges: Gauge[] = [
  {
    name: 'berth_bills',
    help: 'Bills, by family and status',
    // Reads precomputed counts, because there can be millions of bills.
    read: () =>
      queryGaugeReadings(
        `select scope as family, status, sum(n)::bigint as value from list_numbers
         where list = 'bills' and level = 15 group by scope, status`
      ),
  },
]
