import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Notes = () => import('#notes/controllers/notes_controller')

router
  .group(() => {
    router.get('/note/list', [Notes, 'index'])
    router.post('/note/store', [Notes, 'store'])
  })
  .as('customer.notes')
  .use(middleware.signedIn())
