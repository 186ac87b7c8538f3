import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Bills = () => import('#billing/controllers/bills_controller')
const AdminBills = () => import('#billing/controllers/admin_bills_controller')
const Documents = () => import('#billing/controllers/documents_controller')
const Alerts = () => import('#billing/controllers/spending_alerts_controller')
const Runs = () => import('#billing/controllers/runs_controller')
const Overview = () => import('#billing/controllers/admin_billing_overview_controller')
const Statements = () => import('#billing/controllers/statements_controller')
const Settings = () => import('#billing/controllers/settings_controller')

const id = router.matchers.number()
const document = /^(invoice|receipt|credit-note)\.pdf$/

router
  .group(() => {
    router.get('/', [Bills, 'index']).as('list')
    router.get('/:id', [Bills, 'show']).where('id', id).as('show')
    router
      .get('/:id/:document', [Documents, 'show'])
      .where('id', id)
      .where('document', document)
      .as('document')
    router.post('/alert', [Alerts, 'update']).as('alert').use(middleware.can('bills.pay'))
    router.post('/pay', [Bills, 'pay']).as('pay').use(middleware.can('bills.pay'))
  })
  .prefix('/billing')
  .as('bills')
  .use(middleware.signedIn('everyMember'))

router
  .group(() => {
    router.get('/overview', [Overview, 'index']).as('overview')
    router.get('/run', [Runs, 'index']).as('run')
    router.post('/run', [Runs, 'start']).as('run.start').use(middleware.can('billing.run'))
    router.get('/statements', [Statements, 'index']).as('statements')
    router.get('/statements/:id', [Statements, 'show']).where('id', id).as('statements.show')
    router.get('/list', [AdminBills, 'index']).as('list')
    router.get('/details/:id', [AdminBills, 'show']).where('id', id).as('show')
    router
      .get('/details/:id/:document', [Documents, 'show'])
      .where('id', id)
      .where('document', document)
      .as('document')
    router
      .group(() => {
        router.post('/approve', [AdminBills, 'approve']).as('approve')
        router.post('/reject', [AdminBills, 'reject']).as('reject')
        router.post('/send-email', [AdminBills, 'sendEmail']).as('send_email')
        router.post('/payment', [AdminBills, 'enterPayment']).as('payment')
        router.post('/credit', [AdminBills, 'credit']).as('credit')
        router.post('/refund', [Runs, 'refund']).as('refund')
        router.post('/write-off', [AdminBills, 'writeOff']).as('write_off')
        router.post('/statements/store', [Statements, 'store']).as('statements.store')
        router.post('/statements/columns', [Statements, 'columns']).as('statements.columns')
        router.post('/statements/match', [Statements, 'match']).as('statements.match')
        router.post('/statements/approve', [Statements, 'approve']).as('statements.approve')
        router.post('/statements/delete', [Statements, 'destroy']).as('statements.delete')
      })
      .use(middleware.can('bills.decide'))
  })
  .prefix('/admin/billing')
  .as('admin.billing')
  .use(middleware.signedIn())

router
  .group(() => {
    router.get('/', [Settings, 'index']).as('show')
    router
      .group(() => {
        router.post('/update', [Settings, 'update']).as('update')
        router.post('/regional/update', [Settings, 'updateRegional']).as('regional.update')
        router.post('/rate/store', [Settings, 'store']).as('rate.store')
      })
      .use(middleware.can('billing.manage'))
  })
  .prefix('/admin/billing/settings')
  .as('admin.billing.settings')
  .use(middleware.signedIn())
