import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Changes = () => import('#core/controllers/change_stream_controller')
const Operations = () => import('#core/controllers/operations_controller')
const MailSettings = () => import('#core/controllers/mail_settings_controller')
const Alerts = () => import('#core/controllers/alert_silences_controller')
const AlertSettings = () => import('#core/controllers/alert_settings_controller')
const Find = () => import('#core/controllers/global_search_controller')
const System = () => import('#core/controllers/system_controller')

for (const area of ['customer', 'admin']) {
  const prefix = area === 'admin' ? '/admin' : ''
  router
    .group(() => {
      router.get(`${prefix}/changes`, [Changes, 'show'])
      router.get(`${prefix}/find`, [Find, 'show'])
      router.get(`${prefix}/operations/running`, [Operations, 'index'])
      router.get(`${prefix}/operations/:id`, [Operations, 'show'])
      router.get(`${prefix}/operations/:id/events`, [Operations, 'events'])
    })
    .as(area)
    .use(middleware.signedIn('everyMember'))
  router
    .get(`${prefix}/operations/:id/output`, [Operations, 'output'])
    .as(`${area}.operations.output`)
    .use(middleware.signedIn())
}

router
  .post('/operations/:id/cancel', [Operations, 'cancel'])
  .as('customer.operations.cancel')
  .use(middleware.signedIn())

router
  .group(() => {
    router.get('/admin/system', [System, 'index']).as('show')
    router.post('/admin/alerts/:id/silence', [Alerts, 'silence']).as('silence')
    router.post('/admin/alerts/:id/unsilence', [Alerts, 'unsilence']).as('unsilence')
    router
      .group(() => {
        router.post('/admin/operations/dismiss', [System, 'dismiss']).as('dismiss')
        router.post('/admin/operations/:id/retry', [System, 'retry']).as('retry')
        router.post('/admin/operations/:id/give-up', [System, 'giveUp']).as('give_up')
      })
      .use(middleware.can('work.decide'))
  })
  .as('admin.system')
  .use(middleware.signedIn())

router
  .group(() => {
    router.get('/', [AlertSettings, 'show']).as('show')
    router
      .group(() => {
        router.post('/update', [AlertSettings, 'update']).as('update')
        router.post('/secret', [AlertSettings, 'secret']).as('secret')
        router.post('/test', [AlertSettings, 'test']).as('test')
      })
      .use(middleware.can('alerts.manage'))
  })
  .prefix('/admin/settings/alerts')
  .as('admin.alerts')
  .use(middleware.signedIn())

// Needs no sign-in, because mail programs load the logo.
router.get('/mail-logo', [MailSettings, 'logo']).as('mail_logo')

router
  .group(() => {
    router.get('/', [MailSettings, 'show']).as('show')
    router.get('/preview', [MailSettings, 'preview']).as('preview')
    router
      .group(() => {
        router.post('/update', [MailSettings, 'update']).as('update')
        router.post('/words', [MailSettings, 'words']).as('words')
        router.post('/test', [MailSettings, 'test']).as('test')
      })
      .use(middleware.can('mails.manage'))
  })
  .prefix('/admin/settings/mail')
  .as('admin.mails')
  .use(middleware.signedIn())
