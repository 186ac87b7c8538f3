import { appUrl } from '#config/app'
import { defineMailKind } from '#core/mail/mail_kinds'
import type { MailMessage } from '#core/mail/render_mail'
import type { AlertRule, AlertRow } from '#core/monitoring/alerts'
import { displayTimeZone } from '#core/settings/regional_settings'
import { DateTime } from 'luxon'

export type AlertEventKind = 'began' | 'reminder' | 'ended'

const mailTexts = 'harbour-2 is offline: connect ECONNREFUSED 203.0.113.7:8443'
const placeholders = { alert: 'Host offline', message: mailTexts }
const button = { label: 'Open the System page', href: `${appUrl}/admin/system` }
const sample = {
  title: 'Host offline',
  get details(): [string, string][] {
    return [
      ['Since', formatMoment(new Date('2026-11-24T23:31:00Z'))],
      ['Severity', 'critical'],
      ['What to do', 'docs/runbooks/lost_host.md'],
    ]
  },
  button,
}

const kinds = {
  began: defineMailKind({
    name: 'core.alert_began',
    label: 'Alert: new problem',
    subject: '[{brand}] {alert}',
    intro: '{message}',
    placeholders,
    sample,
  }),
  reminder: defineMailKind({
    name: 'core.alert_reminder',
    label: 'Alert: still active (sent daily)',
    subject: '[{brand}] Still active: {alert}',
    intro: '{message}',
    placeholders,
    sample,
  }),
  ended: defineMailKind({
    name: 'core.alert_ended',
    label: 'Alert: resolved',
    subject: '[{brand}] Resolved: {alert}',
    intro: 'Resolved: {message}',
    placeholders,
    sample,
  }),
} satisfies Record<AlertEventKind, unknown>

export const alertMails = Object.values(kinds)

export function buildAlertMail(
  event: AlertEventKind,
  { label, runbook }: Pick<AlertRule, 'label' | 'runbook'>,
  row: Pick<AlertRow, 'words' | 'severity' | 'began_at' | 'ended_at'>,
  to: string
): MailMessage {
  const { severity, began_at: began, ended_at: ended } = row
  return {
    to,
    kind: kinds[event],
    // `words` is the earlier name of `message`. Texts that staff saved may still contain it as a placeholder.
    values: { alert: label, message: row.words, words: row.words },
    title: event === 'ended' ? `Resolved: ${label}` : label,
    details: [
      ['Since', formatMoment(began)],
      ...(ended ? ([['Until', formatMoment(ended)]] satisfies [string, string][]) : []),
      ['Severity', severity],
      ['What to do', `docs/runbooks/${runbook}.md`],
    ],
    button,
  }
}

function formatMoment(at: Date): string {
  const zone = displayTimeZone()
  return `${DateTime.fromJSDate(at).setZone(zone).toFormat('d LLL yyyy, HH:mm')} (${zone})`
}
