import type { ServiceDatabase } from '../../service/database.js'
import type { SecretCipher } from '../../service/secret_encryption.js'
import type { MailEventType } from '../types.js'
import {
  WebhookClient,
  signedWebhookHeaders,
  type WebhookResponse,
} from '../../service/webhooks.js'

const MS_PER_MINUTE = 60_000

/** Delays between the attempts of a delivery. Their sum is a little more than a day. */
const RETRY_DELAYS_MINUTES = [1 / 12, 1, 5, 15, 60, 120, 240, 480, 540]

/** A lease lasts longer than the timeout of a call. */
const LEASE_MS = 60_000
/** Maximum parallel calls. A failing receiver gets one call at a time. */
const MAX_CONCURRENT_CALLS = 100
const MAX_CALLS_PER_RECEIVER = 4
const POLL_INTERVAL_MS = 5_000

interface Due {
  webhook_id: number
  event_id: string
  attempts: number
  url: string
  secret: string
  type: MailEventType
  at: Date
  detail: string
  message_id: string
  recipient: string | null
  tags: string[] | null
}

/**
 * Claims due deliveries by an index scan per webhook, so that a long queue of one webhook does not slow down the
 * others.
 */
const CLAIM_SQL = `
  with picked as materialized (
    select due.webhook_id, due.event_id from mail.webhooks w
    left join unnest($3::bigint[], $4::int[]) as r (id, room) on r.id = w.id
    cross join lateral (
      select d.webhook_id, d.event_id from mail.deliveries d
      where d.webhook_id = w.id and d.state = 'waiting' and d.next_at <= $1
      order by d.next_at limit coalesce(r.room, ${MAX_CALLS_PER_RECEIVER}) for update skip locked
    ) due
    where w.active limit $5
  ),
  taken as (
    update mail.deliveries d set attempts = d.attempts + 1, next_at = $2
    from picked p where d.webhook_id = p.webhook_id and d.event_id = p.event_id
    returning d.*
  )
  select t.webhook_id, t.event_id, t.attempts, w.url, w.secret, e.type, e.at, e.detail, e.message_id,
    m.recipient, m.tags
  from taken t join mail.webhooks w on w.id = t.webhook_id join mail.events e on e.id = t.event_id
  left join mail.messages m on m.id = e.message_id
  order by e.at`

export interface WebhookDispatcher {
  wake(): void
  stop(): Promise<void>
}

/** Starts to deliver webhooks. Each delivery keeps its ID and is retried for about a day. */
export function startWebhooks(deps: {
  database: ServiceDatabase
  seal: SecretCipher
  allowPrivate: boolean
  now: () => Date
  log: (entry: object) => void
  caller?: WebhookClient
}): WebhookDispatcher {
  const { database, seal, now, log } = deps
  const caller = deps.caller ?? new WebhookClient({ allowPrivate: deps.allowPrivate })
  const busy = new Map<number, { calls: number; failing: boolean }>()
  const calls = new Set<Promise<void>>()
  let stopped = false
  let turning: Promise<void> | undefined
  let again = false

  async function turn(): Promise<void> {
    do {
      again = false
      const room = MAX_CONCURRENT_CALLS - calls.size
      if (room <= 0 || stopped) return
      const rows = await database.rows<Due>(CLAIM_SQL, [
        now(),
        new Date(now().getTime() + LEASE_MS),
        [...busy.keys()],
        [...busy.values()].map(roomOf),
        room,
      ])
      for (const due of rows) start(due)
    } while (again)
  }

  function roomOf({ calls: under, failing }: { calls: number; failing: boolean }): number {
    return Math.max(0, (failing ? 1 : MAX_CALLS_PER_RECEIVER) - under)
  }

  function start(due: Due): void {
    const receiver = busy.get(due.webhook_id) ?? { calls: 0, failing: false }
    busy.set(due.webhook_id, receiver)
    receiver.calls++
    const call = deliver(due)
      .then((ok) => {
        receiver.failing = !ok
      })
      .catch((error: unknown) => {
        log({
          level: 40,
          msg: 'the result of a webhook call could not be saved',
          err: String(error),
        })
      })
      .finally(() => {
        receiver.calls--
        if (receiver.calls === 0 && !receiver.failing) busy.delete(due.webhook_id)
        calls.delete(call)
        wake()
      })
    calls.add(call)
  }

  async function deliver(due: Due): Promise<boolean> {
    const body = bodyOf(due)
    const headers = signedWebhookHeaders(seal.decrypt(due.secret), due.event_id, body, now())
    const response = await caller.post(due.url, headers, body)
    await database.rows(
      `update mail.deliveries set state = $3, next_at = $4, status = $5, answer = $6
       where webhook_id = $1 and event_id = $2 and state = 'waiting' and attempts = $7`,
      [
        due.webhook_id,
        due.event_id,
        ...after(due, response),
        response.status,
        response.answer,
        due.attempts,
      ]
    )
    if (!response.ok) {
      log({
        level: 30,
        msg: 'webhook',
        id: due.event_id,
        status: response.status,
        err: response.answer,
      })
    }
    return response.ok
  }

  function after(due: Due, response: WebhookResponse): [state: string, next: Date] {
    const pause = RETRY_DELAYS_MINUTES[due.attempts - 1]
    if (response.ok) return ['delivered', now()]
    if (pause === undefined) return ['failed', now()]
    return ['waiting', new Date(now().getTime() + pause * MS_PER_MINUTE)]
  }

  function wake(): void {
    if (stopped) return
    again = true
    turning ??= turn()
      .catch((error: unknown) => log({ level: 40, msg: 'webhooks', err: String(error) }))
      .finally(() => (turning = undefined))
  }

  const timer = setInterval(wake, POLL_INTERVAL_MS)
  timer.unref()
  wake()
  return {
    wake,
    async stop() {
      stopped = true
      clearInterval(timer)
      await turning
      // Closing the client interrupts running calls. Another process repeats them with the same delivery IDs.
      await caller.close()
      await Promise.all(calls)
    },
  }
}

function bodyOf(due: Due): string {
  return JSON.stringify({
    type: due.type,
    timestamp: due.at.toISOString(),
    data: {
      id: due.message_id,
      recipient: due.recipient,
      tags: due.tags ?? [],
      detail: due.detail,
    },
  })
}
