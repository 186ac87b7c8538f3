import { defineDomain } from '#core/domains'
import keepDays from '#metrics/schedules/keep_days'
import sampleMetrics from '#metrics/schedules/sample_metrics'

export default defineDomain({
  name: 'metrics',
  routes: () => import('#metrics/routes'),
  schedules: [keepDays, sampleMetrics],
})
