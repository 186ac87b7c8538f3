import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Metrics = () => import('#compute/controllers/metrics_controller')

router
  .group(() => {
    router.get('/server-instance/:id/metrics', [Metrics, 'instance'])
    router
      .get('/admin/server-instance/:id/metrics', [Metrics, 'instance'])
      .as('admin.metrics.instance')
    router.get('/admin/host-instance/:id/metrics', [Metrics, 'host'])
  })
  .use(middleware.signedIn())
