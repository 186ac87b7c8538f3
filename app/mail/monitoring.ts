import { countWithNoun } from '#packages/text/count_with_noun'
import type { AlertRule, DetectedProblem } from '#core/monitoring/alerts'
import type { Gauge } from '#core/monitoring/gauges'
import type { HealthIndicator } from '#core/monitoring/health'
import { callMailServiceIfAvailable, callMailService } from '#mail/call_mail_service'
import env from '#start/env'

/**
 * Maximum delay of the oldest due email. If the recipient's server is unreachable, the email
 * becomes due again after 1, 5, 15 and 60 minutes.
 */
const MAX_QUEUE_WAIT_SECONDS = 1_800
/**
 * Maximum share of bounced emails in a day. Above it, receiving servers begin to reject all emails.
 * With fewer than MIN_SAMPLE_MAILS the share means nothing.
 */
const MAX_BOUNCE_RATIO = 0.1
const MIN_SAMPLE_MAILS = 50

/** Returns whether the mail service is configured. */
const isThere = () => Boolean(env.get('MAIL_CONTROL_URL') && env.get('MAIL_CONTROL_KEY'))

const blocked: AlertRule = {
  name: 'mail.blocked',
  label: 'Email delivery blocked',
  runbook: 'blocked_mail',
  after: 60,
  async findProblems() {
    if (!isThere()) return []
    const { waiting, oldestDue } = await callMailService('figures', {})
    if (oldestDue < MAX_QUEUE_WAIT_SECONDS) return []
    const minutes = Math.round(oldestDue / 60)
    const message = `${countWithNoun(waiting, 'email')} ${waiting === 1 ? 'is' : 'are'} waiting. The oldest should have been sent ${countWithNoun(minutes, 'minute')} ago.`
    return [{ key: 'queue', severity: 'critical', words: message, href: '/admin/email/list' }]
  },
}

const bounces: AlertRule = {
  name: 'mail.bounces',
  label: 'Many emails bounce',
  runbook: 'blocked_mail',
  async findProblems(): Promise<DetectedProblem[]> {
    if (!isThere()) return []
    const { delivered, bounced } = (await callMailService('figures', {})).today
    const ended = delivered + bounced
    if (ended < MIN_SAMPLE_MAILS || bounced / ended < MAX_BOUNCE_RATIO) return []
    const share = Math.round((bounced / ended) * 100)
    const message = `${bounced} of the ${ended} emails sent today bounced (${share} %).`
    return [{ key: 'today', severity: 'warning', words: message, href: '/admin/email/list' }]
  },
}

export const alerts = [blocked, bounces]

const figures = async () => (isThere() ? callMailServiceIfAvailable('figures', {}) : null)

export const gauges: Gauge[] = [
  {
    name: 'berth_mails_waiting',
    help: 'Emails that are neither delivered nor bounced yet',
    read: async () => {
      const stats = await figures()
      return stats ? [{ value: stats.waiting }] : []
    },
  },
  {
    name: 'berth_mails_oldest_due_seconds',
    help: 'Delay of the oldest email that should have been sent',
    read: async () => {
      const stats = await figures()
      return stats ? [{ value: stats.oldestDue }] : []
    },
  },
  {
    name: 'berth_mails_today_total',
    help: 'Emails of this day (UTC), by result',
    type: 'counter',
    read: async () => {
      const stats = await figures()
      const each = Object.entries(stats?.today ?? {})
      return each.map(([outcome, value]) => ({ value, labels: { outcome } }))
    },
  },
]

export async function health(): Promise<HealthIndicator[]> {
  const stats = await figures()
  if (!stats) {
    return isThere()
      ? [{ label: 'Mail', value: 'The mail service does not respond', tone: 'loss' }]
      : []
  }
  const { waiting, oldestDue, today } = stats
  return [
    {
      label: 'Mail',
      value: `${waiting} waiting, ${today.delivered} delivered today, ${today.bounced} bounced`,
      tone: oldestDue >= MAX_QUEUE_WAIT_SECONDS ? 'loss' : 'good',
      href: '/admin/email/list',
    },
  ]
}
