import { hasRespondedWithSuccess } from '#core/action_response'
import { audit } from '#core/audit/audit'
import { requireSelectedInstance } from '#files/queries/selected_web_root'
import { assertAbility } from '#identity/public'
import { middleware } from '#start/kernel'
import type { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'
import type { NextFn } from '@adonisjs/core/types/http'

const FileManager = () => import('#files/controllers/file_manager_controller')
const Entries = () => import('#files/controllers/entries_controller')
const Selections = () => import('#files/controllers/bulk_file_actions_controller')
const Texts = () => import('#files/controllers/text_files_controller')
const Uploads = () => import('#files/controllers/uploads_controller')
const ResumableUploads = () => import('#files/controllers/resumable_uploads_controller')
const Downloads = () => import('#files/controllers/downloads_controller')
const Ownerships = () => import('#files/controllers/ownership_fixes_controller')
const Unzips = () => import('#files/controllers/unzips_controller')

for (const area of ['customer', 'admin']) {
  router
    .group(() => {
      router.get('/', [FileManager, 'index'])
      router.get('/file', [Texts, 'show'])
      router.get('/download-file', [Downloads, 'show'])
      router.get('/download-folder', [Downloads, 'showFolder'])
      router
        .group(() => {
          router.post('/resume-upload', [ResumableUploads, 'resume'])
          router.patch('/upload-part', [ResumableUploads, 'update'])
          router.post('/discard-upload', [ResumableUploads, 'destroy'])
        })
        .use(requireChangeAbility)
      router
        .group(() => {
          router.post('/finish-upload', [ResumableUploads, 'store'])
          router.post('/update-file', [Texts, 'update'])
          router.post('/store', [Entries, 'store'])
          router.post('/delete', [Entries, 'destroy'])
          router.post('/rename', [Entries, 'rename'])
          router.post('/copy', [Selections, 'copy'])
          router.post('/move', [Selections, 'move'])
          router.post('/delete-many', [Selections, 'destroy'])
          router.post('/mode', [Selections, 'changeMode'])
          router.post('/upload-file', [Uploads, 'store'])
          router.post('/upload-files', [Uploads, 'storeMany'])
          router.post('/unzip-file', [Unzips, 'store'])
          router.post('/fix-ownership', [Ownerships, 'store'])
        })
        .use([requireChangeAbility, auditChange])
    })
    .prefix(area === 'admin' ? '/admin/file-manager' : '/file-manager')
    .as(`${area}.files`)
    .use(middleware.signedIn())
}

const LOGGED_FIELDS = [
  'path',
  'name',
  'type',
  'oldPath',
  'newPath',
  'file_path',
  'destination_path',
  'existing',
  'paths',
  'folder',
  'mode',
  'recursive',
]

/** Rejects support staff, who cannot change files. */
async function requireChangeAbility({ actor }: HttpContext, next: NextFn) {
  if (actor.audience === 'staff') assertAbility(actor, 'instances.change')
  await next()
}

async function auditChange(ctx: HttpContext, next: NextFn) {
  await next()
  const { actor, request } = ctx
  if (actor.audience === 'customer' || !hasRespondedWithSuccess(ctx)) return
  const { id, name, accountId } = await requireSelectedInstance(ctx)
  await audit({
    actor,
    accountId,
    action: `files.${request.parsedUrl.pathname!.split('/').at(-1)!.replaceAll('-', '_')}`,
    subject: { type: 'server_instance', id, label: name },
    after: request.only(LOGGED_FIELDS),
    ip: request.ip(),
  })
}
