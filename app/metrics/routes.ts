import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const id = router.matchers.number()

const Metrics = () => import('#metrics/controllers/metrics_controller')

router
  .group(() => {
    router.get('/server-instance/:id/metrics', [Metrics, 'instance']).where('id', id).as('instance')
  })
  .as('customer.metrics')
  .use(middleware.signedIn())

router
  .group(() => {
    router
      .get('/admin/server-instance/:id/metrics', [Metrics, 'instance'])
      .where('id', id)
      .as('instance')
    router.get('/admin/host-instance/:id/metrics', [Metrics, 'host']).where('id', id).as('host')
  })
  .as('admin.metrics')
  .use(middleware.signedIn())
