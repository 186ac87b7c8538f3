import type { CourierEventState } from '#auto_courier/event_states'
import { listCourierSigningSecrets } from '#auto_courier/secrets'
import { loadCourierWebhookUrl } from '#auto_courier/webhook_url_setting'
import { Bill, type BillDecision } from '#billing/public'
import type { Requester } from '#billing/public_effects'
import { audit } from '#core/audit/audit'
import { publish } from '#core/live/live_events'
import { conflict, notFound } from '#core/app_error'
import { type WebhookClient, signedWebhookHeaders } from '#packages/service/webhooks'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import Big from 'big.js'
import { randomUUID } from 'node:crypto'

/** Delay after each failed delivery. All delays together take one day. */
export const RETRY_DELAYS_MINUTES = [1 / 6, 1, 5, 15, 60, 120, 240, 480, 519]
/** Time for which a worker reserves an event that it sends. Must exceed the request's timeout. */
const LEASE_SECONDS = 60
const EVENT_BATCH_SIZE = 10

/**
 * If the bill is from Auto Courier, saves an event about the decision, in the same transaction as
 * the decision.
 */
export async function queueBillDecisionForAutoCourier(
  { bill, decision, payments }: BillDecision,
  trx: TransactionClientContract
): Promise<void> {
  if (bill.family !== 'autocourier') return
  const type = `bill.${decision}`
  const data = {
    bill: bill.externalId,
    user: bill.externalUser,
    status: bill.status,
    amount: new Big(bill.amount).toFixed(2),
    paid: new Big(bill.paid).toFixed(2),
    due: new Big(bill.due).toFixed(2),
    trx_ids: payments.map(({ trxId }) => trxId),
    note: decision === 'rejected' ? bill.note : null,
  }
  const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data })
  const { id: billId, attempt } = { id: bill.id, attempt: bill.attempts }
  await trx
    .table('courier_events')
    .insert({ id: randomUUID(), bill_id: billId, attempt, type, body })
}

interface Due {
  id: string
  body: string
  tries: number
}

/**
 * Repeats a delivery until it succeeds or a day has passed. Auto Courier may get an event twice, and
 * recognizes it by its id. Without a URL or a secret, events wait.
 */
export async function sendDueCourierEvents(
  caller: WebhookClient,
  signal?: AbortSignal
): Promise<void> {
  const [url, secrets] = [await loadCourierWebhookUrl(), await listCourierSigningSecrets()]
  if (!url || secrets.length === 0) return
  for (;;) {
    if (signal?.aborted) return
    const { rows } = await db.rawQuery<{ rows: Due[] }>(
      `update courier_events set tries = tries + 1, next_at = now() + make_interval(secs => ?)
       where id in (select id from courier_events where state = 'waiting' and next_at <= now()
         order by next_at limit ? for update skip locked)
       returning id, body, tries`,
      [LEASE_SECONDS, EVENT_BATCH_SIZE]
    )
    if (rows.length === 0) return
    await Promise.all(rows.map((due) => sendCourierEvent(due, url, secrets, caller)))
  }
}

async function sendCourierEvent(
  { id, body, tries }: Due,
  url: string,
  secrets: string[],
  caller: WebhookClient
) {
  const at = new Date()
  const response = await caller.post(url, signedWebhookHeaders(secrets, id, body, at), body)
  const pause = RETRY_DELAYS_MINUTES[tries - 1]
  const state: CourierEventState = response.ok
    ? 'delivered'
    : pause === undefined
      ? 'failed'
      : 'waiting'
  await db.transaction(async (trx) => {
    await trx.table('courier_attempts').insert({
      event_id: id,
      at,
      status: response.status,
      answer: response.answer,
      took_ms: Date.now() - at.getTime(),
    })
    // Changes nothing if staff resent the event during the request, because `tries` is then different.
    await trx.rawQuery(
      `update courier_events set state = ?, next_at = now() + make_interval(secs => ?)
       where id = ? and state = 'waiting' and tries = ?`,
      [state, (pause ?? 0) * 60, id, tries]
    )
    await publish(`courier_event:${id}`, { trx })
  })
}

/** @throws 404 for an unknown event; 409 if no delivery was tried since the event was created or last resent */
export async function resendCourierEvent(id: string, { actor, ip }: Requester): Promise<void> {
  await db.transaction(async (trx) => {
    const event = await trx.from('courier_events').where({ id }).forUpdate().first()
    if (!event) throw notFound('event')
    if (event.state === 'waiting' && event.tries === 0)
      throw conflict('This event was already sent.')
    await trx
      .from('courier_events')
      .where({ id })
      .update({ state: 'waiting', tries: 0, next_at: trx.raw('now()') })
    const bill = await Bill.findOrFail(event.bill_id, { client: trx })
    const subject = { type: 'bill' as const, id: bill.id, label: bill.label }
    await audit({ actor, ip, action: 'bill.tell_again', subject, after: { event: id } }, trx)
    await publish(`courier_event:${id}`, { trx })
  })
}
