import { SIGNED_CALL_ROUTES } from '#auto_courier/signed_call_routes'
import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Bills = () => import('#auto_courier/controllers/bills_controller')
const Events = () => import('#auto_courier/controllers/events_controller')
const SignedCalls = () => import('#auto_courier/controllers/signed_calls_controller')

const id = router.matchers.number()

router
  .group(() => {
    router.get('/list', [Bills, 'index']).as('list')
    router.get('/details/:id', [Bills, 'show']).where('id', id).as('show')
    router.get('/events', [Events, 'index']).as('events')
    router
      .group(() => {
        router.post('/approve', [Bills, 'approve']).as('approve')
        router.post('/reject', [Bills, 'reject']).as('reject')
        router.post('/events/send-again', [Events, 'sendAgain']).as('events.send_again')
      })
      .use(middleware.can('bills.decide'))
  })
  .prefix('/admin/autocourier-billing')
  .as('admin.autocourier-billing')
  .use(middleware.signedIn())

router
  .group(() => {
    router.post('/secret', [Events, 'secret']).as('secret')
    router.post('/address', [Events, 'address']).as('address')
  })
  .prefix('/admin/autocourier-billing/events')
  .as('admin.autocourier-billing.events.settings')
  .use([middleware.signedIn(), middleware.can('billing.manage')])

// Auto Courier signs its requests to these routes. They have no session.
router.post(SIGNED_CALL_ROUTES.bill, [SignedCalls, 'bill']).as('autocourier.bill')
router.post(SIGNED_CALL_ROUTES.payment, [SignedCalls, 'payment']).as('autocourier.payment')
