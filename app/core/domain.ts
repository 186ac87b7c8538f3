import type { Count } from '#core/badges'
import { auditWords } from '#core/audit_words'
import { administration } from '#core/menu'
import { defineDomain } from '#core/domains'
import { endStreams } from '#core/live/event_stream'
import { closeLive } from '#core/live/live'
import { countStuck } from '#core/queries/system'
import { closeQueue } from '#core/queue'
import foldCounts from '#core/schedules/fold_counts'
import forgetMailSecrets from '#core/schedules/forget_mail_secrets'
import forgetOperations from '#core/schedules/forget_operations'

declare module '#core/domains' {
  interface AuditSubjects {
    operation: true
    mails: true
  }
  interface StaffAbilities {
    'work.decide': true
    'mails.manage': true
  }
}

export default defineDomain({
  name: 'core',
  routes: () => import('#core/routes'),
  schedules: [foldCounts, forgetMailSecrets, forgetOperations],
  menu: {
    admin: [
      { ...administration, label: 'Mails', href: '/admin/settings/mail', order: 935 },
      { ...administration, label: 'System', href: '/admin/system', order: 940 },
    ],
  },
  badges: ({ audience }): Record<string, Count> =>
    audience === 'staff' ? { '/admin/system': countStuck() } : {},
  auditSubjects: { operation: 'Work', mails: 'Mails of the product' },
  auditWords,
  staffAbilities: {
    'work.decide': 'Only administrators can retry or end stuck work.',
    'mails.manage': 'Only administrators can change mails.',
  },
  async close() {
    endStreams()
    await Promise.all([closeLive(), closeQueue()])
  },
})
