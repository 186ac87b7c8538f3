import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Backups = () => import('#backups/controllers/backups_controller')

router
  .group(() => {
    router.get('/', [Backups, 'index']).as('show')
    router
      .group(() => {
        router.post('/plan', [Backups, 'plan']).as('plan')
        router.post('/run', [Backups, 'run']).as('run')
        router.post('/drill', [Backups, 'drill']).as('drill')
      })
      .use(middleware.can('backups.manage'))
  })
  .prefix('/admin/backup')
  .as('admin.backups')
  .use(middleware.signedIn())
