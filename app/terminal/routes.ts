import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Grants = () => import('#terminal/controllers/terminal_grants_controller')
const AdminGrants = () => import('#terminal/controllers/admin_terminal_grants_controller')

router.post('/terminal/grants', [Grants, 'store']).use(middleware.signedIn())
router.post('/admin/terminal/grants', [AdminGrants, 'store']).use(middleware.signedIn())
