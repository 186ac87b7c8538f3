import { defineModule } from '#core/modules'
import { listNewestInstances } from '#metrics/dashboard_instances'
import keepDays from '#metrics/schedules/maintain_day_tables'
import sampleMetrics from '#metrics/schedules/measure_hosts'

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
