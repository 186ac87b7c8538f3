import { registerAccountResourceKind, onAccountResumed, onAccountSuspended } from '#accounts/public'
import { registerSoldResourceKind } from '#catalog/public'
import { defineModule } from '#core/modules'
import { syncSendersOfAccount } from '#mail/actions/sync_senders'
import { auditMessages } from '#mail/audit_messages'
import { mails } from '#mail/mails'
import { alerts, gauges, health } from '#mail/monitoring'
import { countSendersOfAccount, listSendersOfAccount } from '#mail/queries/senders'
import checkDomains from '#mail/schedules/refresh_mail_domains'
import sync from '#mail/schedules/sync_senders'
import { callMailServiceIfAvailable } from '#mail/call_mail_service'
import usage from '#mail/schedules/record_mail_usage'

declare module '#core/modules' {
  interface AuditSubjects {
    sender: true
    mail_domain: true
  }
  interface StaffAbilities {
    'emails.change': true
  }
  interface Meters {
    'mail.accepted': true
  }
}

const SENDERS_PAGE = '/email/list'

export default defineModule({
  name: 'mail',
  routes: () => import('#mail/routes'),
  schedules: [sync, usage, checkDomains],
  alerts,
  gauges,
  health,
  // The specified menu for customers has no entry for mail: a dashboard tile links to the page.
  menu: { admin: [{ label: 'Email', icon: 'mail', order: 50, href: `/admin${SENDERS_PAGE}` }] },
  dashboard: [
    { label: 'Total Emails', href: SENDERS_PAGE, order: 30, count: countSendersOfAccount },
  ],
  tables: { label: 'Mail', sizes: () => callMailServiceIfAvailable('tables', {}) },
  auditSubjects: { sender: 'Emails', mail_domain: 'Mail domains' },
  auditMessages,
  mails,
  staffAbilities: { 'emails.change': 'Only administrators can suspend or delete addresses.' },
  sampleData: () => import('#mail/sample_data'),
  bind() {
    registerSoldResourceKind('sender', {
      name: (id) => `(select email from mail_senders where id = ${id})`,
      delivered: () => 'true',
    })
    registerAccountResourceKind({ label: 'Emails', of: listSendersOfAccount })
    onAccountSuspended(syncSendersOfAccount)
    onAccountResumed(syncSendersOfAccount)
  },
})
