import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Projects = () => import('#projects/controllers/projects_controller')
const Processes = () => import('#projects/controllers/processes_controller')
const Wordpress = () => import('#projects/controllers/wordpress_state_controller')
const Environments = () => import('#projects/controllers/environment_variables_controller')

const id = router.matchers.number()

for (const area of ['customer', 'admin']) {
  const prefix = area === 'admin' ? '/admin/project' : '/project'
  router
    .group(() => {
      router.get(`${prefix}/list`, [Projects, 'index'])
      router.get(`${prefix}/:id`, [Projects, 'show']).where('id', id)
      router.get(`${prefix}/:id/php`, [Projects, 'php']).where('id', id)
      router.get(`${prefix}/:id/logs`, [Projects, 'logs']).where('id', id)
      router.get(`${prefix}/:id/wordpress`, [Wordpress, 'show']).where('id', id)
      router.post(`${prefix}/update`, [Projects, 'update'])
      router.post(`${prefix}/change-status`, [Projects, 'changeStatus'])
      router.post(`${prefix}/retry`, [Projects, 'retry'])
      router.get(`${prefix}/pm2/list`, [Processes, 'index'])
      router.get(`${prefix}/pm2/logs`, [Processes, 'logs'])
      router.post(`${prefix}/pm2/start-new`, [Processes, 'startNew'])
      router.post(`${prefix}/pm2/process-action`, [Processes, 'act'])
      router.get(`${prefix}/pm2/environment`, [Environments, 'show'])
      router.post(`${prefix}/pm2/environment`, [Environments, 'update'])
      router.post(`${prefix}/pm2/environment/reveal`, [Environments, 'reveal'])
    })
    .as(`${area}.projects`)
    .use(middleware.signedIn())
}

router
  .post('/project/store', [Projects, 'store'])
  .as('customer.projects.create')
  .use(middleware.signedIn())
