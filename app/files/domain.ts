import { defineDomain } from '#core/domains'
import { auditWords } from '#files/audit_words'
import { unzipFile } from '#files/operations/unzip'

export default defineDomain({
  name: 'files',
  routes: () => import('#files/routes'),
  operations: [unzipFile],
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
  auditWords,
})
