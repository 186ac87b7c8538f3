import { defineModule } from '#core/modules'
import Greeting from '#greetings/models/greeting'
import { applyGreetingOperation } from '#greetings/operations/apply_greeting'
import retryGreetings from '#greetings/schedules/retry_greetings'
import { onInstanceDeletionCommit } from '#instances/public'

declare module '#core/modules' {
  interface AuditSubjects {
    greeting: true
  }
}

export default defineModule({
  name: 'greetings',
  routes: () => import('#greetings/routes'),
  operations: [applyGreetingOperation],
  schedules: [retryGreetings],
  menu: {
    customer: [
      {
        label: 'Greetings',
        href: '/greeting/list',
        icon: 'folder',
        order: 46,
        needs: 'machines.use',
      },
    ],
    admin: [{ label: 'Greetings', href: '/admin/greeting/list', icon: 'folder', order: 46 }],
  },
  auditSubjects: { greeting: 'Greetings' },
  auditMessages: {
    'greeting.store': 'Added the greeting {}',
    'greeting.update': 'Changed the greeting to {}',
    'greeting.delete': 'Deleted the greeting {}',
  },
  bind() {
    onInstanceDeletionCommit(async ({ id }, trx) => {
      await Greeting.query({ client: trx }).where('server_instance_id', id).delete()
    })
  },
})
