import { defineModule } from '#core/modules'
import { auditMessages } from '#files/audit_messages'
import { unzipFileOperation } from '#files/operations/unzip'

export default defineModule({
  name: 'files',
  routes: () => import('#files/routes'),
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
