import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const Services = () => import('#catalog/controllers/services_controller')
const Packages = () => import('#catalog/controllers/server_packages_controller')

router.get('/services', [Services, 'index']).as('services')

router
  .group(() => {
    const path = '/admin/server-package'
    router.get(`${path}/list`, [Packages, 'index'])
    router.post(`${path}/store`, [Packages, 'store'])
    router.post(`${path}/update`, [Packages, 'update'])
  })
  .as('admin.catalog')
  .use(middleware.signedIn())
