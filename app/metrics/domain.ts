import { defineDomain } from '#core/domains'
import sampleMetrics from '#metrics/schedules/sample_metrics'

export default defineDomain({
  name: 'metrics',
  routes: () => import('#metrics/routes'),
  schedules: [sampleMetrics],
})
