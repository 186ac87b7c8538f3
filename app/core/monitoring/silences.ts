import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import { ALERTS_TOPIC, type AlertRow } from '#core/monitoring/alerts'
import { publish } from '#core/live/live_events'
import { parseRecordId } from '#core/record_id'
import { conflict, notFound } from '#core/app_error'
import db from '@adonisjs/lucid/services/db'

/** @throws 404 if it does not exist */
export async function getAlert(id: string): Promise<AlertRow> {
  const key = parseRecordId(id)
  const row = key ? ((await db.from('alerts').where('id', key).first()) as AlertRow | null) : null
  if (!row) throw notFound('alert')
  return row
}

/**
 * Suppresses the first notification of an alert, and its reminders, for some hours. The System page still
 * shows the alert, but the dashboard does not. If staff were notified of its start, they are also notified of its end.
 * @throws 409 if the alert is resolved
 */
export async function silenceAlert(
  { id, name, key, label, words, status }: AlertRow,
  { hours, reason }: { hours: number; reason: string },
  actor: Actor
): Promise<void> {
  if (status === 'resolved') throw conflict('This alert is resolved.')
  const until = new Date(Date.now() + hours * 3_600_000)
  const values = { until, reason, by: actor.name }
  await db.transaction(async (trx) => {
    await trx
      .insertQuery()
      .table('alert_silences')
      .insert({ name, key, ...values })
      .knexQuery.onConflict(['name', 'key'])
      .merge(values)
    await audit(
      {
        actor,
        action: 'alert.silenced',
        subject: { type: 'alert', id, label },
        after: { until: until.toISOString(), reason, words },
      },
      trx
    )
  })
  await publish(ALERTS_TOPIC)
}

/** @throws 409 if the alert is not silenced */
export async function endSilence({ id, name, key, label }: AlertRow, actor: Actor): Promise<void> {
  await db.transaction(async (trx) => {
    const ended = await trx.from('alert_silences').where({ name, key }).delete()
    if (Number(ended) === 0) throw conflict('This alert is not silenced.')
    const subject = { type: 'alert' as const, id, label }
    await audit({ actor, action: 'alert.unsilenced', subject }, trx)
  })
  await publish(ALERTS_TOPIC)
}
