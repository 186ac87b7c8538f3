import type { CountQuery } from '#core/menu_badges'
import { auditMessages } from '#core/audit_messages'
import { administrationGroup } from '#core/menu'
import { defineModule } from '#core/modules'
import { processLocks } from '#core/locks'
import { closeEventStreams } from '#core/live/event_stream'
import { closeLiveEvents } from '#core/live/live_events'
import { alertMails } from '#core/monitoring/mails'
import { alerts, gauges } from '#core/monitoring/builtin_alerts_and_gauges'
import { buildOpenProblemsCountQuery, loadCoreHealthIndicators } from '#core/monitoring/health'
import { alertWebhookOperation } from '#core/monitoring/alert_notifications'
import adoptJobs from '#core/schedules/take_over_pg_boss_jobs'
import deliverMails from '#core/schedules/deliver_mails'
import forgetFigures from '#core/schedules/delete_old_measurements_and_alerts'
import foldCounts from '#core/schedules/aggregate_list_counts'
import forgetMailSecrets from '#core/schedules/redact_mail_secrets'
import forgetOperations from '#core/schedules/delete_old_operations'
import notePresence from '#core/schedules/record_process_reports'
import watch from '#core/schedules/check_alerts'

declare module '#core/modules' {
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

export default defineModule({
  name: 'core',
  routes: () => import('#core/routes'),
  operations: [alertWebhookOperation],
  schedules: [
    adoptJobs,
    deliverMails,
    foldCounts,
    forgetFigures,
    forgetMailSecrets,
    forgetOperations,
    notePresence,
    watch,
  ],
  gauges,
  alerts,
  health: loadCoreHealthIndicators,
  mails: alertMails,
  menu: {
    admin: [
      {
        ...administrationGroup,
        label: 'Email templates',
        href: '/admin/settings/mail',
        order: 935,
      },
      { ...administrationGroup, label: 'Alerts', href: '/admin/settings/alerts', order: 937 },
      { ...administrationGroup, label: 'System', href: '/admin/system', order: 940 },
    ],
  },
  badges: ({ audience }): Record<string, CountQuery> =>
    audience === 'staff' ? { '/admin/system': buildOpenProblemsCountQuery() } : {},
  auditSubjects: { operation: 'Operations', mails: 'Email templates', alert: 'Alerts' },
  auditMessages,
  staffAbilities: {
    'work.decide': 'Only administrators can retry or end stuck operations.',
    'mails.manage': 'Only administrators can change email templates.',
    'alerts.manage': 'Only administrators can change notification channels.',
  },
  async close() {
    closeEventStreams()
    await Promise.all([closeLiveEvents(), processLocks.end()])
  },
})
