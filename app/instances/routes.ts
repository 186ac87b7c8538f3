import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Instances = () => import('#instances/controllers/server_instances_controller')
const DefaultInstance = () => import('#instances/controllers/default_instance_controller')
const Boosts = () => import('#instances/controllers/boosts_controller')
const Power = () => import('#instances/controllers/instance_power_controller')
const Answers = () => import('#instances/controllers/instance_reachability_controller')
const Lifetime = () => import('#instances/controllers/instance_lifecycle_controller')
const AdminInstances = () => import('#instances/controllers/admin_server_instances_controller')
const Suspensions = () => import('#instances/controllers/instance_suspensions_controller')
const Sizes = () => import('#instances/controllers/instance_resizes_controller')

const id = router.matchers.number()

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
    router.get(`${path}/set-as-default/:id`, [DefaultInstance, 'show']).where('id', id)
    router.post(`${path}/set-as-default/:id`, [DefaultInstance, 'store']).where('id', id)
    router.get(`${path}/boost/info`, [Boosts, 'show'])
    router.post(`${path}/boost`, [Boosts, 'store'])
    instanceVerbs(path)
  })
  .as('customer.instances')
  .use(middleware.signedIn())

router
  .group(() => {
    const path = '/admin/server-instance'
    router.get(`${path}/list`, [AdminInstances, 'index'])
    router.get(`${path}/:id`, [AdminInstances, 'show']).where('id', id)
    router.post(`${path}/update`, [AdminInstances, 'update'])
    router.post(`${path}/suspend`, [Suspensions, 'store'])
    router.post(`${path}/resume`, [Suspensions, 'destroy'])
    router.post(`${path}/resize`, [Sizes, 'store'])
    instanceVerbs(path)
  })
  .as('admin.instances')
  .use(middleware.signedIn())
