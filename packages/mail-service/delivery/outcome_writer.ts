import type { ServiceDatabase } from '../../service/database.js'
import type { AttemptOutcome, MessageState } from '../types.js'

/** The outcome of a leased message: the result of an attempt, or another state without an attempt. */
export interface DeliveryOutcome {
  id: string
  state: MessageState
  next_at?: Date
  expires_at?: Date
  at?: Date
  outcome?: AttemptOutcome
  host?: string | null
  tls?: string | null
  code?: number | null
  enhanced?: string | null
  answer?: string
  took?: number
  reason?: string
  /** Whether to add the recipient to the sender's suppression list. */
  suppress?: boolean
  event?: 'delivered' | 'bounced'
}

/**
 * Writes many outcomes in one statement. Updates messages that this process still leases, adds attempts, daily counts,
 * events, webhook deliveries and suppressions.
 */
const WRITE_OUTCOMES_SQL = `
  with told as (
    select * from jsonb_to_recordset($1::jsonb) as t (
      id uuid, state text, next_at timestamptz, expires_at timestamptz, at timestamptz, outcome text, host text,
      tls text, code smallint, enhanced text, answer text, took integer, reason text, suppress boolean, event text
    )
  ),
  ours as (
    select m.id from mail.messages m join told t on t.id = m.id
    where m.lease = $2 and m.state = 'sending' order by m.id for update of m
  ),
  changed as (
    update mail.messages m set
      state = t.state, lease = null,
      next_at = coalesce(t.next_at, m.next_at), expires_at = coalesce(t.expires_at, m.expires_at),
      attempts = m.attempts + (t.outcome is not null)::int,
      code = case when t.outcome is null then m.code else t.code end,
      enhanced = case when t.outcome is null then m.enhanced else t.enhanced end,
      reason = coalesce(t.reason, t.answer, m.reason),
      final_at = case when t.state = 'queued' then null else $3::timestamptz end,
      subject = case when m.secret and t.state <> 'queued' then '' else m.subject end
    from told t, ours
    where m.id = t.id and ours.id = m.id
    returning m.id, m.sender_id, m.account_id, m.recipient, m.attempts, m.content_id, m.secret, m.state,
      t.at, t.outcome, t.host, t.tls, t.code, t.enhanced, t.answer, t.took, t.suppress, t.event
  ),
  tried as (
    insert into mail.attempts (message_id, number, at, outcome, host, tls, code, enhanced, answer, took)
    select id, attempts, at, outcome, host, tls, code, enhanced, answer, took from changed where outcome is not null
    on conflict do nothing
  ),
  counted as (
    insert into mail.usage (sender_id, account_id, day, delivered, bounced)
    select sender_id, max(account_id), ($3::timestamptz at time zone 'utc')::date,
      count(*) filter (where event = 'delivered'), count(*) filter (where event = 'bounced')
    from changed where event is not null group by sender_id order by sender_id
    on conflict (sender_id, day) do update set
      delivered = mail.usage.delivered + excluded.delivered, bounced = mail.usage.bounced + excluded.bounced
  ),
  suppressed as (
    insert into mail.suppressions (sender_id, recipient, reason, detail, message_id, created_at)
    select distinct on (sender_id, lower(recipient)) sender_id, lower(recipient), 'bounced', answer, id, $3::timestamptz
    from changed where suppress and exists (select 1 from mail.senders s where s.id = sender_id)
    order by sender_id, lower(recipient)
    on conflict do nothing
  ),
  happened as (
    insert into mail.events (id, sender_id, message_id, type, detail, at)
    select gen_random_uuid(), sender_id, id, event, coalesce(answer, ''), $3::timestamptz
    from changed where event is not null
    on conflict do nothing
    returning id, sender_id, type
  ),
  hooked as (
    insert into mail.deliveries (webhook_id, event_id, next_at)
    select w.id, h.id, $3::timestamptz from happened h
    join mail.webhooks w on w.sender_id = h.sender_id and w.active and h.type = any (w.events)
    returning 1
  )
  select array_agg(content_id) filter (where secret and state <> 'queued') as forget,
    (select count(*) from hooked) as hooked
  from changed`

/** Writes outcomes to the database in groups. Outcomes that arrive during a write form the next group. */
export class OutcomeWriter {
  #waiting: { outcome: DeliveryOutcome; done: () => void }[] = []
  #writing?: Promise<void>
  #stopped = false

  readonly #database: ServiceDatabase
  readonly #lease: string
  readonly #options: {
    now: () => Date
    onHooked: () => void
    onError: (error: unknown) => void
  }

  constructor(
    database: ServiceDatabase,
    lease: string,
    options: {
      now: () => Date
      onHooked: () => void
      onError: (error: unknown) => void
    }
  ) {
    this.#database = database
    this.#lease = lease
    this.#options = options
  }

  write(outcome: DeliveryOutcome): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ outcome, done })
      this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined))
    })
  }

  /** Stops retrying. If an outcome was not written, another process handles its message after the lease expires. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, 1_000)
      await this.#writeGroup(group.map(({ outcome }) => outcome))
      for (const { done } of group) done()
    }
  }

  /** Retries until the database is available, because a message whose outcome is lost would be delivered twice. */
  async #writeGroup(group: DeliveryOutcome[]): Promise<void> {
    for (let wait = 100; ; wait = Math.min(wait * 2, 5_000)) {
      try {
        return await this.#commit(group)
      } catch (error) {
        this.#options.onError(error)
        if (this.#stopped) return
        await new Promise((done) => setTimeout(done, wait))
      }
    }
  }

  async #commit(group: DeliveryOutcome[]): Promise<void> {
    const values = [JSON.stringify(group), this.#lease, this.#options.now()]
    const row = await this.#database.row<{ forget: string[] | null; hooked: number }>(
      WRITE_OUTCOMES_SQL,
      values
    )
    if (row?.forget) await deleteUnusedContents(this.#database, row.forget)
    if (row?.hooked) this.#options.onHooked()
  }
}

export async function deleteUnusedContents(
  database: ServiceDatabase,
  contents: string[]
): Promise<void> {
  await database.rows(
    `delete from mail.contents c where c.id = any($1) and not exists (
       select 1 from mail.messages m where m.content_id = c.id and m.state in ('scheduled', 'queued', 'sending'))`,
    [contents]
  )
}
