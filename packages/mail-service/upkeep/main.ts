import type { ServiceDatabase } from '../../service/database.js'

const MS_PER_HOUR = 3_600_000
/** Small batches hold locks only briefly. */
const DELETE_BATCH_ROWS = 1_000
const BATCH_PAUSE_MS = 50

/** A message and its content are deleted only some time after the message has reached a final state. */
const PRUNE_STATEMENTS = {
  contents: `delete from mail.contents where id in (
      select c.id from mail.contents c where c.created_at < $1::timestamptz - interval '30 days'
      and not exists (
        select 1 from mail.messages m where m.content_id = c.id
        and (m.final_at is null or m.final_at >= $1::timestamptz - interval '30 days')
      ) limit ${DELETE_BATCH_ROWS}) returning 1`,
  events: `delete from mail.events where id in (
      select e.id from mail.events e where e.at < $1::timestamptz - interval '90 days'
      and not exists (select 1 from mail.deliveries d where d.event_id = e.id and d.state = 'waiting')
      limit ${DELETE_BATCH_ROWS}) returning 1`,
  messages: `with gone as (
      delete from mail.messages where id in (
        select id from mail.messages where final_at < $1::timestamptz - interval '90 days' order by final_at limit ${DELETE_BATCH_ROWS}
      ) returning id
    ), tries as (delete from mail.attempts where message_id in (select id from gone))
    select 1 from gone`,
  idempotency: `delete from mail.idempotency where (sender_id, key) in (
      select sender_id, key from mail.idempotency where created_at < $1::timestamptz - interval '1 day' limit ${DELETE_BATCH_ROWS}
    ) returning 1`,
  // A week after a key was retired, no server verifies mail with it any more.
  dkimKeys: `delete from mail.dkim_keys where state = 'retired' and retired_at < $1::timestamptz - interval '7 days' returning 1`,
}

/** Texts that say how long rows are kept, by table. Rows of other tables are not deleted after a fixed time. */
export const RETENTION_TEXTS: Record<string, string> = {
  contents: '30 days after the mail is final',
  messages: '90 days after the mail is final',
  attempts: 'as long as their mail',
  events: '90 days',
  deliveries: 'as long as their event',
  idempotency: '1 day',
  dkim_keys: '7 days after they are retired',
  replies: 'until the console has read them',
}

/** Returns the number of deleted rows by kind. */
export async function deleteExpiredRows(
  database: ServiceDatabase,
  now: Date,
  signal?: AbortSignal
): Promise<Record<string, number>> {
  const gone: Record<string, number> = {}
  for (const [name, statement] of Object.entries(PRUNE_STATEMENTS)) {
    gone[name] = 0
    for (let batch = DELETE_BATCH_ROWS; batch >= DELETE_BATCH_ROWS && !signal?.aborted;) {
      batch = (await database.rows(statement, [now])).length
      gone[name] += batch
      if (batch >= DELETE_BATCH_ROWS) await new Promise((done) => setTimeout(done, BATCH_PAUSE_MS))
    }
  }
  return gone
}

/** Starts to delete expired rows every hour. The first run is a minute after the start. */
export function startUpkeep(deps: {
  database: ServiceDatabase
  now: () => Date
  log: (entry: object) => void
}): { stop(): Promise<void> } {
  const { database, now, log } = deps
  const ending = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let timer = setTimeout(run, MS_PER_HOUR / 60)
  timer.unref()

  function run(): void {
    running = deleteExpiredRows(database, now(), ending.signal)
      .then((gone) => log({ level: 20, msg: 'deleted expired mail data', ...gone }))
      .catch((error: unknown) =>
        log({ level: 40, msg: 'expired mail data could not be deleted', err: String(error) })
      )
      .finally(() => {
        if (ending.signal.aborted) return
        timer = setTimeout(run, MS_PER_HOUR)
        timer.unref()
      })
  }

  return {
    async stop() {
      ending.abort()
      clearTimeout(timer)
      await running
    },
  }
}
