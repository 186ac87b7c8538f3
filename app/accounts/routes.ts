import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Members = () => import('#accounts/controllers/members_controller')
const Invitations = () => import('#accounts/controllers/invitations_controller')
const Accounts = () => import('#accounts/controllers/account_switch_controller')
const Customers = () => import('#accounts/controllers/admin/customers_controller')

router
  .group(() => {
    router.get('/profile/members', [Members, 'index']).as('list')
    router
      .group(() => {
        router.post('/invite', [Members, 'store']).as('invite')
        router.post('/withdraw', [Members, 'withdraw']).as('withdraw')
        router.post('/update', [Members, 'update']).as('update')
        router.post('/rename', [Members, 'rename']).as('rename')
      })
      .prefix('/profile/members')
      .use(middleware.can('members.manage'))
    router.post('/profile/members/remove', [Members, 'destroy']).as('remove')
    router.get('/invitation/:id', [Invitations, 'show']).as('invitation')
    router.post('/invitation/accept', [Invitations, 'accept']).as('invitation.accept')
    router.post('/invitation/decline', [Invitations, 'decline']).as('invitation.decline')
    router.post('/account/switch', [Accounts, 'update']).as('switch')
  })
  .as('members')
  .use(middleware.signedIn('everyMember'))

router
  .group(() => {
    const path = '/admin/customer'
    router.get(`${path}/list`, [Customers, 'index']).as('list')
    router.get(`${path}/:id`, [Customers, 'show']).where('id', router.matchers.number()).as('show')
    router.post(`${path}/note`, [Customers, 'note']).as('note')
    router
      .group(() => {
        router.post(`${path}/suspend`, [Customers, 'suspend']).as('suspend')
        router.post(`${path}/resume`, [Customers, 'resume']).as('resume')
        router.post(`${path}/sign-out`, [Customers, 'signOut']).as('sign_out')
      })
      .use(middleware.can('customers.manage'))
  })
  .as('admin.customers')
  .use(middleware.signedIn())
