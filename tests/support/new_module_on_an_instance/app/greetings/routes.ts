import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Greetings = () => import('#greetings/controllers/greetings_controller')

router
  .group(() => {
    router.get('/greeting/list', [Greetings, 'index'])
    router.post('/greeting/store', [Greetings, 'store'])
    router.post('/greeting/update', [Greetings, 'update'])
    router.post('/greeting/delete', [Greetings, 'destroy'])
  })
  .as('customer.greetings')
  .use(middleware.signedIn())

router
  .get('/admin/greeting/list', [Greetings, 'index'])
  .as('admin.greetings')
  .use(middleware.signedIn())
