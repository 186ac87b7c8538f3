import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Instances = () => import('#compute/controllers/server_instances_controller')
const AdminInstances = () => import('#compute/controllers/admin_server_instances_controller')
const Hosts = () => import('#compute/controllers/host_instances_controller')
const Packages = () => import('#compute/controllers/server_packages_controller')

const id = router.matchers.number()

router
  .group(() => {
    router.get('/server-instance/list', [Instances, 'index'])
    router.get('/server-instance/:id', [Instances, 'show']).where('id', id)
  })
  .as('customer.compute')
  .use(middleware.signedIn())

router
  .group(() => {
    router.get('/admin/server-instance/list', [AdminInstances, 'index'])
    router.get('/admin/server-instance/:id', [AdminInstances, 'show']).where('id', id)
    router.get('/admin/host-instance/list', [Hosts, 'index'])
    router.get('/admin/host-instance/:id', [Hosts, 'show']).where('id', id)
    router.get('/admin/server-package/list', [Packages, 'index'])
  })
  .as('admin.compute')
  .use(middleware.signedIn())
