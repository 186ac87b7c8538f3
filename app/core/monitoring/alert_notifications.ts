import { appUrl } from '#config/app'
import { sendMail } from '#core/mail/send_mail'
import type { AlertRule, AlertRow } from '#core/monitoring/alerts'
import { type AlertEventKind, buildAlertMail } from '#core/monitoring/mails'
import {
  listAlertRecipients,
  loadAlertWebhook,
  saveWebhookResult,
} from '#core/monitoring/alert_settings'
import { enqueueAll, ensureQueue } from '#core/job_queue'
import { WebhookClient, signedWebhookHeaders } from '#packages/service/webhooks'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { Job } from 'pg-boss'

export const ALERT_WEBHOOK_QUEUE = 'alert-webhook'

/** A call that waits: its id stays the same however often it is made. */
export interface AlertWebhookCall {
  id: string
  body: string
}

/** Tells of an alert by mail and webhook, at the end of the transaction. */
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

/** The worker makes the call; for about a day it is tried again. */
export async function queueAlertWebhookCall(
  call: AlertWebhookCall,
  trx?: TransactionClientContract
): Promise<void> {
  const tries = { retryLimit: 12, retryDelay: 15, retryBackoff: true }
  await enqueueAll(ALERT_WEBHOOK_QUEUE, [call], { trx, ...tries })
}

/** Makes the calls that wait; what fails is tried again by the queue. */
export async function startAlertWebhookWorker(): Promise<() => Promise<void>> {
  // Administrators choose the address: a receiver of their own stands in their own network.
  const caller = new WebhookClient({ allowPrivate: true })
  const boss = await ensureQueue(ALERT_WEBHOOK_QUEUE)
  await boss.work(ALERT_WEBHOOK_QUEUE, async ([job]: Job<AlertWebhookCall>[]) =>
    sendAlertWebhookCall(job.data, caller)
  )
  return () => caller.close()
}

/** @throws where the receiver did not answer with 2xx */
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
