import { registerAccountResourceKind, onAccountResumed, onAccountSuspended } from '#accounts/public'
import { registerSoldResourceKind } from '#catalog/public'
import { queryNewestMatching } from '#core/global_search'
import { containsOrStartsWith } from '#core/list_page'
import { defineModule } from '#core/modules'
import { syncSendersOfAccount } from '#mail/actions/sync_senders'
import { auditMessages } from '#mail/audit_messages'
import { mails } from '#mail/mails'
import { alerts, gauges, health } from '#mail/monitoring'
import {
  countSendersOfAccount,
  listSendersOfAccount,
  mailDomainsVisibleTo,
  sendersVisibleTo,
} from '#mail/queries/senders'
import { mailDomainStatuses, senderStatuses } from '#mail/statuses'
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
const entry = { label: 'Email', icon: 'mail' } as const

export default defineModule({
  name: 'mail',
  routes: () => import('#mail/routes'),
  schedules: [sync, usage, checkDomains],
  alerts,
  gauges,
  health,
  menu: {
    customer: [
      {
        ...entry,
        keywords: 'senders mail domains',
        order: 65,
        href: SENDERS_PAGE,
        needs: 'machines.use',
      },
    ],
    admin: [{ ...entry, keywords: 'senders', order: 50, href: `/admin${SENDERS_PAGE}` }],
  },
  dashboard: [
    { label: 'Total Emails', href: SENDERS_PAGE, order: 30, count: countSendersOfAccount },
  ],
  find: [
    {
      kind: 'Sender',
      needs: 'machines.use',
      async of(actor, text, limit) {
        const rows = await queryNewestMatching(
          sendersVisibleTo(actor).whereNot('mail_senders.status', 'deleted'),
          containsOrStartsWith('email')(text),
          limit
        )
        const prefix = actor.audience === 'staff' ? '/admin' : ''
        return rows.map(({ id, email, status }) => ({
          name: email,
          detail: senderStatuses[status],
          href: `${prefix}/email/${id}` as const,
        }))
      },
    },
    {
      kind: 'Mail domain',
      audience: 'customer',
      needs: 'machines.use',
      async of(actor, text, limit) {
        const rows = await queryNewestMatching(
          mailDomainsVisibleTo(actor).whereNot('mail_domains.status', 'deleted'),
          containsOrStartsWith('domain')(text),
          limit
        )
        return rows.map(({ id, domain, status }) => ({
          name: domain,
          detail: mailDomainStatuses[status],
          href: `/email/domain/${id}` as const,
        }))
      },
    },
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
