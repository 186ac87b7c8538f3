import { defineModule } from '#core/modules'
import { listNewestInstances } from '#metrics/overview'
import keepDays from '#metrics/schedules/keep_days'
import sampleMetrics from '#metrics/schedules/sample_metrics'

export default defineModule({
  name: 'metrics',
  routes: () => import('#metrics/routes'),
  schedules: [keepDays, sampleMetrics],
  overview: [
    {
      label: 'Server instances',
      href: '/server-instance/list',
      order: 10,
      needs: 'machines.use',
      rows: listNewestInstances,
    },
  ],
})
