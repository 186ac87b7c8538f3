import { addThings, onAccountResumed, onAccountSuspended } from '#accounts/public'
import { sellThings } from '#catalog/public'
import { defineDomain } from '#core/domains'
import { followAccount } from '#mail/actions/follow_senders'
import { auditWords } from '#mail/audit_words'
import { mails } from '#mail/mails'
import { alerts, gauges, health } from '#mail/monitoring'
import { countSenders, sendersOwnedBy } from '#mail/queries/senders'
import checkDomains from '#mail/schedules/check_domains'
import sync from '#mail/schedules/sync'
import { askIfThere } from '#mail/service'
import usage from '#mail/schedules/usage'

declare module '#core/domains' {
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

export default defineDomain({
  name: 'mail',
  routes: () => import('#mail/routes'),
  schedules: [sync, usage, checkDomains],
  alerts,
  gauges,
  health,
  // The specification's menu of customers has no entry: the dashboard's tile leads there.
  menu: { admin: [{ label: 'Email', icon: 'mail', order: 50, href: `/admin${SENDERS_PAGE}` }] },
  dashboard: [{ label: 'Total Emails', href: SENDERS_PAGE, order: 30, count: countSenders }],
  tables: { label: 'Mail', sizes: () => askIfThere('tables', {}) },
  auditSubjects: { sender: 'Emails', mail_domain: 'Mail domains' },
  auditWords,
  mails,
  staffAbilities: { 'emails.change': 'Only administrators can suspend or delete addresses.' },
  sampleData: () => import('#mail/sample_data'),
  bind() {
    sellThings('sender', {
      name: (id) => `(select email from mail_senders where id = ${id})`,
      delivered: () => 'true',
    })
    addThings({ label: 'Emails', of: sendersOwnedBy })
    onAccountSuspended(followAccount)
    onAccountResumed(followAccount)
  },
})
