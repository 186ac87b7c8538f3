import { middleware } from '#start/kernel'
import router from '@adonisjs/core/services/router'

const FileManager = () => import('#files/controllers/file_manager_controller')
const Entries = () => import('#files/controllers/entries_controller')
const Texts = () => import('#files/controllers/texts_controller')
const Uploads = () => import('#files/controllers/uploads_controller')
const Downloads = () => import('#files/controllers/downloads_controller')
const Unzips = () => import('#files/controllers/unzips_controller')

/** Customer specification, section 7. */
router
  .group(() => {
    router.get('/', [FileManager, 'index'])
    router.get('/file', [Texts, 'show'])
    router.post('/update-file', [Texts, 'update'])
    router.post('/store', [Entries, 'store'])
    router.post('/delete', [Entries, 'destroy'])
    router.post('/rename', [Entries, 'rename'])
    router.post('/upload-file', [Uploads, 'store'])
    router.post('/unzip-file', [Unzips, 'store'])
    router.get('/download-file', [Downloads, 'show'])
  })
  .prefix('/file-manager')
  .as('customer.files')
  .use(middleware.signedIn())
