import { demand } from '#identity/public'
import { middleware } from '#start/kernel'
import type { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'
import type { NextFn } from '@adonisjs/core/types/http'

const FileManager = () => import('#files/controllers/file_manager_controller')
const Entries = () => import('#files/controllers/entries_controller')
const Texts = () => import('#files/controllers/texts_controller')
const Uploads = () => import('#files/controllers/uploads_controller')
const Downloads = () => import('#files/controllers/downloads_controller')
const Unzips = () => import('#files/controllers/unzips_controller')

/** Customer specification, section 7; staff come to the same from a project (admin, section 2). */
for (const area of ['customer', 'admin']) {
  router
    .group(() => {
      router.get('/', [FileManager, 'index'])
      router.get('/file', [Texts, 'show'])
      router.get('/download-file', [Downloads, 'show'])
      router
        .group(() => {
          router.post('/update-file', [Texts, 'update'])
          router.post('/store', [Entries, 'store'])
          router.post('/delete', [Entries, 'destroy'])
          router.post('/rename', [Entries, 'rename'])
          router.post('/upload-file', [Uploads, 'store'])
          router.post('/unzip-file', [Unzips, 'store'])
        })
        .use(assertMayChange)
    })
    .prefix(area === 'admin' ? '/admin/file-manager' : '/file-manager')
    .as(`${area}.files`)
    .use(middleware.signedIn())
}

/** Support looks at customers' files; administrators change them. */
function assertMayChange({ actor }: HttpContext, next: NextFn) {
  if (actor!.audience === 'staff') demand(actor!, 'instances.change')
  return next()
}
