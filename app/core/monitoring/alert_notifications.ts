import { appUrl } from '#config/app'
import { sendMail } from '#core/mail/send_mail'
import type { AlertRule, AlertRow } from '#core/monitoring/alerts'
import { type AlertEventKind, buildAlertMail } from '#core/monitoring/mails'
import {
  listAlertRecipients,
  loadAlertWebhook,
  saveWebhookResult,
} from '#core/monitoring/alert_settings'
import { defineOperation, RetryLater, startOperation } from '#core/operations/operations'
import { WebhookClient, signedWebhookHeaders } from '#packages/service/webhooks'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface AlertWebhookCall {
  id: string
  body: string
}

export async function notifyStaffOfAlert(
  event: AlertEventKind,
  alert: AlertRule,
  row: AlertRow,
  trx: TransactionClientContract
): Promise<void> {
  for (const to of await listAlertRecipients(trx))
    await sendMail(buildAlertMail(event, alert, row, to), trx)
  if (!(await loadAlertWebhook(trx))) return
  const at = { began: row.fired_at, reminder: row.seen_at, ended: row.ended_at }[event]
  const data = {
    id: row.id,
    name: row.name,
    key: row.key,
    label: alert.label,
    severity: row.severity,
    words: row.words,
    runbook: `docs/runbooks/${alert.runbook}.md`,
    url: `${appUrl}${row.href ?? '/admin/system'}`,
    began_at: row.began_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
  }
  const nth = event === 'reminder' ? `-${row.reminders}` : ''
  const type = `alert.${event}`
  const body = JSON.stringify({ type, timestamp: (at ?? row.seen_at).toISOString(), data })
  await queueAlertWebhookCall({ id: `alert-${row.id}-${event}${nth}`, body }, trx)
}

const MAX_RETRIES = 12
/** Delay before the first retry. It doubles with each further retry. All retries together take about a day. */
const FIRST_PAUSE_MS = 20_000

let client: WebhookClient | undefined

export const alertWebhookOperation = defineOperation<AlertWebhookCall>({
  kind: 'alert.webhook',
  queue: 'machine',
  steps: [
    {
      key: 'call',
      label: 'Call the webhook',
      async run(call, { state, saveState }) {
        // Private addresses are allowed, because administrators choose the URL. The receiver may be in their own
        // network.
        client ??= new WebhookClient({ allowPrivate: true })
        try {
          await sendAlertWebhookCall(call, client)
        } catch (error) {
          const failures = Number(state.failures ?? 0)
          if (failures === MAX_RETRIES) throw error
          await saveState('failures', failures + 1)
          throw new RetryLater((error as Error).message, FIRST_PAUSE_MS * 2 ** failures)
        }
      },
    },
  ],
})

/** The worker makes the call after the commit. */
export async function queueAlertWebhookCall(
  call: AlertWebhookCall,
  trx?: TransactionClientContract
): Promise<void> {
  const subject = { type: 'alert', id: call.id }
  const title = 'Calling the webhook for alerts'
  await startOperation(alertWebhookOperation, call, { title, accountId: null, subject, trx })
}

/**
 * Calls the webhook and saves the result. Without a webhook, does nothing.
 * @throws if the receiver does not respond with 2xx
 */
export async function sendAlertWebhookCall(
  { id, body }: AlertWebhookCall,
  caller: WebhookClient
): Promise<void> {
  const webhook = await loadAlertWebhook()
  if (!webhook) return
  const headers = signedWebhookHeaders(webhook.secret, id, body, new Date())
  const { ok, status, answer } = await caller.post(webhook.url, headers, body)
  const response = [status, answer].filter(Boolean).join(': ')
  await saveWebhookResult(ok, response)
  if (!ok) throw new Error(`The webhook for alerts did not accept the alert: ${response}`)
}
