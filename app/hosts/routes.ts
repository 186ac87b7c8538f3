import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Hosts = () => import('#hosts/controllers/hosts_controller')
const Maintenance = () => import('#hosts/controllers/host_maintenance_controller')

router
  .group(() => {
    const path = '/admin/host-instance'
    router.get(`${path}/list`, [Hosts, 'index'])
    router.get(`${path}/:id`, [Hosts, 'show']).where('id', router.matchers.number())
    router.post(`${path}/store`, [Hosts, 'store'])
    router.post(`${path}/update`, [Hosts, 'update'])
    router.post(`${path}/delete`, [Hosts, 'destroy'])
    router.post(`${path}/ssh`, [Hosts, 'ssh'])
    router.post(`${path}/maintenance`, [Maintenance, 'update'])
    router.post(`${path}/check`, [Maintenance, 'check'])
  })
  .as('admin.hosts')
  .use(middleware.signedIn())
