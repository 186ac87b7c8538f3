import { defineModule } from '#core/modules'
import { auditMessages } from '#files/audit_messages'
import deleteOldTemporaryFiles from '#files/schedules/delete_old_temporary_files'
import { unzipFileOperation } from '#files/operations/unzip'

export default defineModule({
  name: 'files',
  routes: () => import('#files/routes'),
  schedules: [deleteOldTemporaryFiles],
  operations: [unzipFileOperation],
  menu: {
    customer: [
      {
        label: 'File Manager',
        href: '/file-manager',
        icon: 'folder',
        order: 40,
        needs: 'machines.use',
      },
    ],
  },
  auditMessages,
})
