import { defineModule } from '#core/modules'
import { countNotes } from '#notes/queries/notes'

declare module '#core/modules' {
  interface AuditSubjects {
    note: true
  }
}

const LIST = '/note/list'

export default defineModule({
  name: 'notes',
  routes: () => import('#notes/routes'),
  menu: {
    customer: [{ label: 'Notes', href: LIST, icon: 'folder', order: 45, needs: 'machines.use' }],
  },
  dashboard: [{ label: 'Total Notes', href: LIST, order: 26, count: countNotes }],
  auditSubjects: { note: 'Notes' },
  auditMessages: { 'note.store': 'Kept the note {}' },
})
