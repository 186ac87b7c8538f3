import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Metrics = () => import('#compute/controllers/metrics_controller')

router
<<<<<<< HEAD
  .group(() => router.get('/server-instance/:id/metrics', [Metrics, 'instance']))
  .as('customer')
=======
  .get('/server-instance/:id/metrics', [Metrics, 'instance'])
  .as('customer.compute.metrics')
>>>>>>> refs/heads/compute-pages
  .use(middleware.signedIn())

router
  .group(() => {
<<<<<<< HEAD
    router.get('/admin/server-instance/:id/metrics', [Metrics, 'instance'])
    router.get('/admin/host-instance/:id/metrics', [Metrics, 'host'])
  })
  .as('admin')
=======
    router.get('/admin/server-instance/:id/metrics', [Metrics, 'instance']).as('instance')
    router.get('/admin/host-instance/:id/metrics', [Metrics, 'host']).as('host')
  })
  .as('admin.compute.metrics')
>>>>>>> refs/heads/compute-pages
  .use(middleware.signedIn())
