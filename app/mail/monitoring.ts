import type { Alert, Trouble } from '#core/monitoring/alerts'
import type { Gauge } from '#core/monitoring/gauges'
import type { HealthFact } from '#core/monitoring/health'
import { callMailServiceIfAvailable, callMailService } from '#mail/service'
import env from '#start/env'

/** Seconds that the oldest due mail may wait; a receiver that is away is tried again after 1, 5, 15 and 60 minutes. */
const MAX_QUEUE_WAIT_SECONDS = 1_800
/** Of the mails of a day, how many may bounce before receivers begin to refuse all, and of how many that says something. */
const MAX_BOUNCE_RATIO = 0.1
const MIN_SAMPLE_MAILS = 50

/** Without a service of mail there is nothing to ask. */
const isThere = () => Boolean(env.get('MAIL_CONTROL_URL') && env.get('MAIL_CONTROL_KEY'))

const blocked: Alert = {
  name: 'mail.blocked',
  label: 'Email delivery blocked',
  runbook: 'blocked_mail',
  after: 60,
  async look() {
    if (!isThere()) return []
    const { waiting, oldestDue } = await callMailService('figures', {})
    if (oldestDue < MAX_QUEUE_WAIT_SECONDS) return []
    const minutes = Math.round(oldestDue / 60)
    const words = `${waiting} emails are waiting. The oldest should have been sent ${minutes} minutes ago.`
    return [{ key: 'queue', severity: 'critical', words, href: '/admin/email/list' }]
  },
}

const bounces: Alert = {
  name: 'mail.bounces',
  label: 'Many emails bounce',
  runbook: 'blocked_mail',
  async look(): Promise<Trouble[]> {
    if (!isThere()) return []
    const { delivered, bounced } = (await callMailService('figures', {})).today
    const ended = delivered + bounced
    if (ended < MIN_SAMPLE_MAILS || bounced / ended < MAX_BOUNCE_RATIO) return []
    const share = Math.round((bounced / ended) * 100)
    const words = `${bounced} of the ${ended} emails sent today bounced (${share} %).`
    return [{ key: 'today', severity: 'warning', words, href: '/admin/email/list' }]
  },
}

export const alerts = [blocked, bounces]

const figures = async () => (isThere() ? callMailServiceIfAvailable('figures', {}) : null)

export const gauges: Gauge[] = [
  {
    name: 'berth_mails_waiting',
    help: 'Emails that are not delivered or bounced yet',
    read: async () => {
      const told = await figures()
      return told ? [{ value: told.waiting }] : []
    },
  },
  {
    name: 'berth_mails_oldest_due_seconds',
    help: 'Delay of the oldest email that should have been sent',
    read: async () => {
      const told = await figures()
      return told ? [{ value: told.oldestDue }] : []
    },
  },
  {
    name: 'berth_mails_today_total',
    help: 'Emails of this day (UTC), by result',
    type: 'counter',
    read: async () => {
      const told = await figures()
      const each = Object.entries(told?.today ?? {})
      return each.map(([outcome, value]) => ({ value, labels: { outcome } }))
    },
  },
]

export async function health(): Promise<HealthFact[]> {
  const told = await figures()
  if (!told) {
    return isThere()
      ? [{ label: 'Mail', value: 'The mail service does not respond', tone: 'loss' }]
      : []
  }
  const { waiting, oldestDue, today } = told
  return [
    {
      label: 'Mail',
      value: `${waiting} waiting, ${today.delivered} delivered today, ${today.bounced} bounced`,
      tone: oldestDue >= MAX_QUEUE_WAIT_SECONDS ? 'loss' : 'good',
      href: '/admin/email/list',
    },
  ]
}
