import type { Count } from '#core/badges'
import { auditWords } from '#core/audit_words'
import { administration } from '#core/menu'
import { defineDomain } from '#core/domains'
import { endStreams } from '#core/live/event_stream'
import { closeLive } from '#core/live/live'
import { alertMails } from '#core/monitoring/mails'
import { alerts, gauges } from '#core/monitoring/own'
import { countNeeds, ownHealth } from '#core/monitoring/health'
import { closeQueue } from '#core/queue'
import forgetFigures from '#core/schedules/forget_figures'
import foldCounts from '#core/schedules/fold_counts'
import forgetMailSecrets from '#core/schedules/forget_mail_secrets'
import forgetOperations from '#core/schedules/forget_operations'
import notePresence from '#core/schedules/note_presence'
import watch from '#core/schedules/watch'

declare module '#core/domains' {
  interface AuditSubjects {
    operation: true
    mails: true
    alert: true
  }
  interface StaffAbilities {
    'work.decide': true
    'mails.manage': true
    'alerts.manage': true
  }
}

export default defineDomain({
  name: 'core',
  routes: () => import('#core/routes'),
  schedules: [
    ...[foldCounts, forgetFigures, forgetMailSecrets, forgetOperations],
    ...[notePresence, watch],
  ],
  gauges,
  alerts,
  health: ownHealth,
  mails: alertMails,
  menu: {
    admin: [
      { ...administration, label: 'Mails', href: '/admin/settings/mail', order: 935 },
      { ...administration, label: 'Alerts', href: '/admin/settings/alerts', order: 937 },
      { ...administration, label: 'System', href: '/admin/system', order: 940 },
    ],
  },
  badges: ({ audience }): Record<string, Count> =>
    audience === 'staff' ? { '/admin/system': countNeeds() } : {},
  auditSubjects: { operation: 'Work', mails: 'Email templates', alert: 'Alerts' },
  auditWords,
  staffAbilities: {
    'work.decide': 'Only administrators can retry or end stuck operations.',
    'mails.manage': 'Only administrators can change email templates.',
    'alerts.manage': 'Only administrators can change notification channels.',
  },
  async close() {
    endStreams()
    await Promise.all([closeLive(), closeQueue()])
  },
})
