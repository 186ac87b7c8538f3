import type { ServiceDatabase } from '../../service/database.js'
import type { SenderState } from '../types.js'

export interface ClaimedMessage {
  id: string
  sender_id: number
  account_id: number
  recipient: string
  destination: string
  content_id: string | null
  attempts: number
  expires_at: Date
  email: string | null
  sender_state: SenderState | null
  suppressed: boolean
}

/** Maximum number of messages that may still be claimed, by destination. */
export type DestinationQuotas = Map<string, number>

export const SENDER_PAUSED_REASON = 'The sender is not allowed to send at the moment'

const UNFINISHED_SQL = `state in ('scheduled', 'queued', 'sending')`

/** Visits one index entry per destination, so that a long queue of one destination does not slow down the others. */
const CLAIM_SQL = `
  with recursive destinations as (
    (select destination from mail.messages where ${UNFINISHED_SQL} and destination > $1 order by destination limit 1)
    union all
    select (
      select m.destination from mail.messages m
      where ${UNFINISHED_SQL} and m.destination > d.destination order by m.destination limit 1
    )
    from destinations d where d.destination is not null
  ),
  quotas as materialized (select * from unnest($5::text[], $6::int[]) as q (destination, quota)),
  picked as materialized (
    select due.id from destinations d
    cross join lateral (
      select m.id from mail.messages m
      where ${UNFINISHED_SQL} and m.destination = d.destination and m.next_at <= $2
      order by m.next_at
      limit coalesce((select quota from quotas q where q.destination = d.destination), $7)
      for update skip locked
    ) due
    limit $3
  ),
  taken as (
    update mail.messages m set state = 'sending', lease = $4, next_at = $8
    from picked where m.id = picked.id
    returning m.*
  )
  select t.id, t.sender_id, t.account_id, t.recipient, t.destination, t.content_id, t.attempts, t.expires_at,
    s.email, s.state as sender_state,
    exists (
      select 1 from mail.suppressions x where x.sender_id = t.sender_id and x.recipient = lower(t.recipient)
    ) as suppressed
  from taken t left join mail.senders s on s.id = t.sender_id
  order by t.id`

/**
 * Leases due messages to this process. If the process dies, its leases expire, and another process claims the messages.
 */
export class MessageClaims {
  #after = ''

  readonly #database: ServiceDatabase
  readonly #lease: string
  readonly #seconds: number
  readonly #now: () => Date

  constructor(database: ServiceDatabase, lease: string, seconds: number, now: () => Date) {
    this.#database = database
    this.#lease = lease
    this.#seconds = seconds
    this.#now = now
  }

  /** `others` is the quota of destinations that are not in `quotas`. */
  async claim(limit: number, quotas: DestinationQuotas, others: number): Promise<ClaimedMessage[]> {
    const rows = await this.#database.rows<ClaimedMessage>(CLAIM_SQL, [
      this.#after,
      this.#now(),
      limit,
      this.#lease,
      [...quotas.keys()],
      [...quotas.values()],
      others,
      this.#leaseEnd(),
    ])
    const furthest = rows.reduce(
      (currentMax, row) => (row.destination > currentMax ? row.destination : currentMax),
      ''
    )
    const wasWhole = this.#after === ''
    this.#after = rows.length >= limit ? furthest : ''
    return rows.length > 0 || wasWhole ? rows : this.claim(limit, quotas, others)
  }

  async renew(ids: string[]): Promise<void> {
    await this.#database.rows(
      `update mail.messages set next_at = $3 where id = any($1) and lease = $2 and state = 'sending'`,
      [ids, this.#lease, this.#leaseEnd()]
    )
  }

  /** A leased message becomes due when its lease expires. */
  async nextDue(): Promise<Date | undefined> {
    const row = await this.#database.row<{ next_at: Date }>(
      `select next_at from mail.messages where ${UNFINISHED_SQL} order by next_at limit 1`
    )
    return row?.next_at
  }

  /** Makes postponed messages due again if their sender may send. Returns the senders that still may not send. */
  async resume(senders: number[]): Promise<number[]> {
    if (senders.length === 0) return []
    const rows = await this.#database.rows<{ id: number; state: SenderState }>(
      'select id, state from mail.senders where id = any($1)',
      [senders]
    )
    const free = rows.filter((row) => row.state === 'active').map((row) => row.id)
    if (free.length > 0) {
      await this.#database.rows(
        `update mail.messages set next_at = $2, expires_at = greatest(expires_at, $2::timestamptz + interval '24 hours')
         where sender_id = any($1) and state = 'queued' and reason = $3`,
        [free, this.#now(), SENDER_PAUSED_REASON]
      )
    }
    return rows.filter((row) => row.state !== 'active').map((row) => row.id)
  }

  async paused(): Promise<number[]> {
    const rows = await this.#database.rows<{ id: number }>(
      `select id from mail.senders where state in ('paused', 'suspended')`
    )
    return rows.map((row) => row.id)
  }

  #leaseEnd(): Date {
    return new Date(this.#now().getTime() + this.#seconds * 1_000)
  }
}
