import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Domains = () => import('#edge/controllers/domains_controller')

router
  .group(() => {
    router.post('/server-instance/update', [Domains, 'update'])
    router.get('/server-instance/domain/name', [Domains, 'show'])
    router.post('/server-instance/domain/check', [Domains, 'check'])
  })
  .as('customer.edge')
  .use(middleware.signedIn())

router
  .group(() => {
    router.post('/admin/server-instance/domain/check', [Domains, 'check'])
  })
  .as('admin.edge')
  .use(middleware.signedIn())
