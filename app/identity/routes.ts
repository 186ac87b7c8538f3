import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Home = () => import('#identity/controllers/home_controller')
const Login = () => import('#identity/controllers/login_controller')
const SendOtp = () => import('#identity/controllers/send_otp_controller')
const MatchOtp = () => import('#identity/controllers/match_otp_controller')
const CheckMail = () => import('#identity/controllers/sign_in_method_lookup_controller')
const Logout = () => import('#identity/controllers/logout_controller')
const Google = () => import('#identity/controllers/google_controller')
const Profile = () => import('#identity/controllers/profile_controller')
const Password = () => import('#identity/controllers/password_controller')
const Address = () => import('#identity/controllers/email_change_controller')
const Devices = () => import('#identity/controllers/devices_controller')
const Dashboard = () => import('#identity/controllers/admin/dashboard_controller')
const Staff = () => import('#identity/controllers/admin/staff_controller')
const Audit = () => import('#identity/controllers/admin/audit_controller')

router.get('/', [Home, 'show']).as('home')
router.post('/check-mail', [CheckMail, 'store']).as('check_mail')
router.get('/google/redirect', [Google, 'redirect']).as('google.redirect')
router.get('/google/callback', [Google, 'callback']).as('google.callback')

router
  .group(() => {
    router.get('', [Dashboard, 'show']).as('dashboard')
    router
      .get('/staff', ({ response }) => response.redirect().toPath('/admin/staff/list'))
      .as('staff')
    router.get('/staff/list', [Staff, 'index']).as('staff.list')
    router
      .group(() => {
        router.post('/invite', [Staff, 'store']).as('invite')
        router.post('/invite-again', [Staff, 'inviteAgain']).as('invite_again')
        router.post('/update', [Staff, 'update']).as('update')
        router.post('/disable', [Staff, 'disable']).as('disable')
        router.post('/enable', [Staff, 'enable']).as('enable')
      })
      .prefix('/staff')
      .as('staff')
      .use(middleware.can('staff.manage'))
    router.get('/audit', [Audit, 'index']).as('audit')
  })
  .prefix('/admin')
  .as('admin')
  .use(middleware.signedIn())

for (const area of ['customer', 'admin']) {
  const prefix = area === 'admin' ? '/admin' : ''
  router
    .group(() => {
      router.get(`${prefix}/login`, [Login, 'show']).as('login')
      router.post(`${prefix}/login`, [Login, 'store']).as('login.store')
      router.post(`${prefix}/send-otp`, [SendOtp, 'store']).as('send_otp')
      router.post(`${prefix}/match-otp`, [MatchOtp, 'store']).as('match_otp')
      router.get(`${prefix}/logout`, [Logout, 'handle']).as('logout').use(middleware.sameSite())
      router.post(`${prefix}/logout`, [Logout, 'handle']).as('logout.store')
      router
        .group(() => {
          router.get('', [Profile, 'show']).as('show')
          router.post('/update', [Profile, 'update']).as('update')
          router.post('/password', [Password, 'update']).as('password')
          router.post('/email', [Address, 'store']).as('email')
          router.post('/email/confirm', [Address, 'update']).as('email.confirm')
          router.post('/email/cancel', [Address, 'destroy']).as('email.cancel')
          router.post('/devices/end', [Devices, 'destroy']).as('devices.end')
          router.post('/devices/end-all', [Devices, 'destroyAll']).as('devices.end_all')
        })
        .prefix(`${prefix}/profile`)
        .as('profile')
        .use(middleware.signedIn('everyMember'))
    })
    .as(`${area}.visit`)
}
