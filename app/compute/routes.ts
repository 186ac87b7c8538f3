import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Instances = () => import('#compute/controllers/server_instances_controller')
const DefaultInstance = () => import('#compute/controllers/default_instance_controller')
const Domains = () => import('#compute/controllers/domains_controller')
const Boosts = () => import('#compute/controllers/boosts_controller')
const Power = () => import('#compute/controllers/instance_power_controller')
const Answers = () => import('#compute/controllers/instance_answers_controller')
const Lifetime = () => import('#compute/controllers/instance_lifetime_controller')
const AdminInstances = () => import('#compute/controllers/admin_server_instances_controller')
const Suspensions = () => import('#compute/controllers/instance_suspensions_controller')
const Sizes = () => import('#compute/controllers/instance_sizes_controller')
const Hosts = () => import('#compute/controllers/host_instances_controller')
const Maintenance = () => import('#compute/controllers/host_maintenance_controller')
const Packages = () => import('#compute/controllers/server_packages_controller')

const id = router.matchers.number()

/** What customers do with their own instances and staff with everybody's. */
function instanceVerbs(path: string) {
  router.get(`${path}/:id/answers`, [Answers, 'show']).where('id', id)
  router.post(`${path}/start`, [Power, 'start'])
  router.post(`${path}/stop`, [Power, 'stop'])
  router.post(`${path}/restart`, [Power, 'restart'])
  router.post(`${path}/restart-without-apps`, [Power, 'restartWithoutApps'])
  router.post(`${path}/retry`, [Lifetime, 'retry'])
  router.post(`${path}/delete`, [Lifetime, 'destroy'])
}

router
  .group(() => {
    const path = '/server-instance'
    router.get(`${path}/list`, [Instances, 'index'])
    router.get(`${path}/:id`, [Instances, 'show']).where('id', id)
    router.post(`${path}/store`, [Instances, 'store'])
    router.post(`${path}/update`, [Instances, 'update'])
    router.get(`${path}/domain/name`, [Domains, 'show'])
    router.post(`${path}/domain/check`, [Domains, 'check'])
    router.get(`${path}/set-as-default/:id`, [DefaultInstance, 'show']).where('id', id)
    router.post(`${path}/set-as-default/:id`, [DefaultInstance, 'store']).where('id', id)
    router.get(`${path}/boost/info`, [Boosts, 'show'])
    router.post(`${path}/boost`, [Boosts, 'store'])
    instanceVerbs(path)
  })
  .as('customer.compute')
  .use(middleware.signedIn())

router
  .group(() => {
    const instances = '/admin/server-instance'
    router.get(`${instances}/list`, [AdminInstances, 'index'])
    router.get(`${instances}/:id`, [AdminInstances, 'show']).where('id', id)
    router.post(`${instances}/update`, [AdminInstances, 'update'])
    router.post(`${instances}/domain/check`, [Domains, 'check'])
    router.post(`${instances}/suspend`, [Suspensions, 'store'])
    router.post(`${instances}/resume`, [Suspensions, 'destroy'])
    router.post(`${instances}/resize`, [Sizes, 'store'])
    instanceVerbs(instances)

    const hosts = '/admin/host-instance'
    router.get(`${hosts}/list`, [Hosts, 'index'])
    router.get(`${hosts}/:id`, [Hosts, 'show']).where('id', id)
    router.post(`${hosts}/store`, [Hosts, 'store'])
    router.post(`${hosts}/update`, [Hosts, 'update'])
    router.post(`${hosts}/delete`, [Hosts, 'destroy'])
    router.post(`${hosts}/ssh`, [Hosts, 'ssh'])
    router.post(`${hosts}/maintenance`, [Maintenance, 'update'])
    router.post(`${hosts}/check`, [Maintenance, 'check'])

    const packages = '/admin/server-package'
    router.get(`${packages}/list`, [Packages, 'index'])
    router.post(`${packages}/store`, [Packages, 'store'])
    router.post(`${packages}/update`, [Packages, 'update'])
  })
  .as('admin.compute')
  .use(middleware.signedIn())
