import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Senders = () => import('#mail/controllers/senders_controller')
const Messages = () => import('#mail/controllers/messages_controller')
const Suppressions = () => import('#mail/controllers/suppressions_controller')
const Webhooks = () => import('#mail/controllers/sender_webhooks_controller')
const Domains = () => import('#mail/controllers/mail_domains_controller')
const Verification = () => import('#mail/controllers/verification_controller')
const AdminSenders = () => import('#mail/controllers/admin_senders_controller')

const id = router.matchers.number()

router
  .group(() => {
    router.get('/', ({ response }) => response.redirect().withQs().toPath('/email/list')).as('home')
    router.get('/list', [Senders, 'index']).as('list')
    router.post('/store', [Senders, 'store']).as('store')
    router.post('/link', [Senders, 'sendLink']).as('link')
    router.post('/update', [Senders, 'update']).as('update')
    router.post('/test', [Senders, 'test']).as('test')
    router.post('/delete', [Senders, 'destroy']).as('delete')
    router.post('/secret', [Senders, 'secret']).as('secret')
    router.post('/secret/rotate', [Senders, 'rotateSecret']).as('secret.rotate')
    router.get('/:id', [Senders, 'show']).where('id', id).as('show')

    router.get('/:id/usage', [Messages, 'usage']).where('id', id).as('usage')
    router.get('/:id/messages', [Messages, 'index']).where('id', id).as('messages')
    router.get('/:id/message', [Messages, 'show']).where('id', id).as('message')
    router.post('/message/cancel', [Messages, 'cancel']).as('message.cancel')
    router.post('/message/retry', [Messages, 'retry']).as('message.retry')

    router.get('/:id/suppressions', [Suppressions, 'index']).where('id', id).as('suppressions')
    router.post('/suppression/store', [Suppressions, 'store']).as('suppression.store')
    router.post('/suppression/remove', [Suppressions, 'destroy']).as('suppression.remove')

    router.get('/:id/webhooks', [Webhooks, 'index']).where('id', id).as('webhooks')
    router.get('/:id/deliveries', [Webhooks, 'deliveries']).where('id', id).as('deliveries')
    router.post('/webhook/store', [Webhooks, 'store']).as('webhook.store')
    router.post('/webhook/update', [Webhooks, 'update']).as('webhook.update')
    router.post('/webhook/remove', [Webhooks, 'destroy']).as('webhook.remove')
    router.post('/webhook/resend', [Webhooks, 'resend']).as('webhook.resend')

    router.get('/domain/:id', [Domains, 'show']).where('id', id).as('domain')
    router.post('/domain/store', [Domains, 'store']).as('domain.store')
    router.post('/domain/check', [Domains, 'check']).as('domain.check')
    router.post('/domain/rotate', [Domains, 'rotate']).as('domain.rotate')
    router.post('/domain/switch', [Domains, 'switchKey']).as('domain.switch')
    router.post('/domain/delete', [Domains, 'destroy']).as('domain.delete')
  })
  .prefix('/email')
  .as('emails')
  .use(middleware.signedIn())

// These routes need no sign-in, because the person who reads the emails to the address need not be a
// customer.
router.get('/email/verify/:token', [Verification, 'show']).as('emails.verify')
router.post('/email/verify', [Verification, 'store']).as('emails.verify.store')

router
  .group(() => {
    router.get('/list', [AdminSenders, 'index']).as('list')
    router.get('/:id', [AdminSenders, 'show']).where('id', id).as('show')
    router.get('/:id/usage', [Messages, 'usage']).where('id', id).as('usage')
    router.get('/:id/messages', [Messages, 'index']).where('id', id).as('messages')
    router.get('/:id/message', [Messages, 'show']).where('id', id).as('message')
    router
      .group(() => {
        router.post('/suspend', [AdminSenders, 'suspend']).as('suspend')
        router.post('/resume', [AdminSenders, 'resume']).as('resume')
        router.post('/limit', [AdminSenders, 'limit']).as('limit')
        router.post('/delete', [AdminSenders, 'destroy']).as('delete')
      })
      .use(middleware.can('emails.change'))
  })
  .prefix('/admin/email')
  .as('admin.emails')
  .use(middleware.signedIn())
