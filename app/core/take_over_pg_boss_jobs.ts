import { publish } from '#core/live/live_events'
import { MAILS_DUE_TOPIC } from '#core/mail/send_mail'
import { type AlertWebhookCall, queueAlertWebhookCall } from '#core/monitoring/alert_notifications'
import db from '@adonisjs/lucid/services/db'

type QueuedJob =
  | { name: 'system-mail'; data: { id: number } }
  | { name: 'alert-webhook'; data: AlertWebhookCall }

/**
 * Takes over waiting jobs from pg-boss, the queue of releases before `0225_outbox_due`. Such a release can run at
 * the same time as this one (decision 0050). Jobs that its workers have claimed stay until they expire, because
 * those workers may still run them.
 */
export async function takeOverPgBossJobs(): Promise<void> {
  const { rows } = await db.rawQuery<{ rows: { hasQueue: boolean }[] }>(
    `select to_regclass('pgboss.job') is not null as "hasQueue"`
  )
  if (!rows[0].hasQueue) return
  await db.transaction(async (trx) => {
    const { rows: jobs } = await trx.rawQuery<{ rows: QueuedJob[] }>(
      `delete from pgboss.job
       where name in ('system-mail', 'alert-webhook') and (state in ('created', 'retry')
         or (state = 'active' and started_on + make_interval(secs => expire_seconds) < now()))
       returning name, data`
    )
    for (const job of jobs)
      if (job.name === 'alert-webhook') await queueAlertWebhookCall(job.data, trx)
    const mails = jobs.flatMap((job) => (job.name === 'system-mail' ? [job.data.id] : []))
    if (mails.length === 0) return
    await trx
      .from('outbox_mails')
      .whereIn('id', mails)
      .whereNull('sent_at')
      .update({ due_at: trx.raw('now()') })
    await publish(MAILS_DUE_TOPIC, { passing: true, trx })
  })
}
