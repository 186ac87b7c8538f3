import { randomBytes } from 'node:crypto'
import { ControlError } from '../../service/control_client.js'
import type { ServiceDatabase } from '../../service/database.js'
import type { SecretCipher } from '../../service/secret_encryption.js'
import type { WebhookDelivery } from '../control/contract.js'
import type { OutgoingHandlers } from '../outgoing_mail_types.js'
import type { MailEventType } from '../types.js'

const MAX_WEBHOOKS_PER_SENDER = 10

type Handlers = Pick<
  OutgoingHandlers,
  'webhooks' | 'makeWebhook' | 'changeWebhook' | 'removeWebhook' | 'deliveries' | 'resendDelivery'
>

export function webhookHandlers(deps: {
  database: ServiceDatabase
  seal: SecretCipher
  wake: () => void
}): Handlers {
  const { database, seal, wake } = deps

  async function check(senderId: number, id: number): Promise<void> {
    const row = await database.row('select 1 from mail.webhooks where id = $1 and sender_id = $2', [
      id,
      senderId,
    ])
    if (!row) throw new ControlError(404, 'no_such_webhook', 'This webhook does not exist.')
  }

  return {
    webhooks: ({ senderId }) =>
      database.rows(
        `select id, url, events, active,
           (select count(*) from mail.deliveries d where d.webhook_id = w.id and d.state = 'waiting') as waiting,
           (select count(*) from mail.deliveries d where d.webhook_id = w.id and d.state = 'failed') as failed
         from mail.webhooks w where sender_id = $1 order by id`,
        [senderId]
      ),
    async makeWebhook({ senderId, url, events }) {
      checkUrl(url)
      const secret = `whsec_${randomBytes(24).toString('base64')}`
      const row = await database.row<{ id: number }>(
        `insert into mail.webhooks (sender_id, url, events, secret)
         select $1, $2, $3, $4 where (select count(*) from mail.webhooks where sender_id = $1) < ${MAX_WEBHOOKS_PER_SENDER}
         returning id`,
        [senderId, url, events, seal.encrypt(secret)]
      )
      if (!row) {
        throw new ControlError(
          409,
          'too_many',
          `A sender can have at most ${MAX_WEBHOOKS_PER_SENDER} webhooks.`
        )
      }
      return { id: row.id, secret }
    },
    async changeWebhook({ senderId, id, url, events, active }) {
      await check(senderId, id)
      if (url !== undefined) checkUrl(url)
      await database.rows(
        `update mail.webhooks set url = coalesce($2, url), events = coalesce($3, events), active = coalesce($4, active)
         where id = $1`,
        [id, url ?? null, events ?? null, active ?? null]
      )
      wake()
      return {}
    },
    async removeWebhook({ senderId, id }) {
      await database.rows('delete from mail.webhooks where id = $1 and sender_id = $2', [
        id,
        senderId,
      ])
      return {}
    },
    async deliveries({ senderId, webhookId, limit, offset }) {
      await check(senderId, webhookId)
      const rows = await database.rows<{
        id: string
        type: MailEventType
        at: Date
        state: WebhookDelivery['state']
        attempts: number
        next_at: Date
        status: number | null
        answer: string | null
      }>(
        `select e.id, e.type, e.at, d.state, d.attempts, d.next_at, d.status, d.answer
         from mail.deliveries d join mail.events e on e.id = d.event_id
         where d.webhook_id = $1 order by e.at desc, e.id limit $2 offset $3`,
        [webhookId, limit, offset]
      )
      const total = await database.row<{ count: number }>(
        'select count(*) from mail.deliveries where webhook_id = $1',
        [webhookId]
      )
      const deliveries = rows.map(({ at, next_at, ...row }) => ({
        ...row,
        at: at.toISOString(),
        nextAt: row.state === 'waiting' ? next_at.toISOString() : null,
      }))
      return { deliveries, count: total!.count }
    },
    async resendDelivery({ senderId, webhookId, id }) {
      await check(senderId, webhookId)
      const row = await database.row(
        `update mail.deliveries set state = 'waiting', attempts = 0, next_at = now()
         where webhook_id = $1 and event_id = $2 returning 1`,
        [webhookId, id]
      )
      if (!row) throw new ControlError(404, 'no_such_delivery', 'This delivery does not exist.')
      wake()
      return {}
    },
  }
}

function checkUrl(url: string): void {
  if (URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)) return
  throw new ControlError(422, 'bad_url', 'Enter a web address that begins with https://.')
}
