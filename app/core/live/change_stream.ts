import type { Actor } from '#core/contracts/actor'
import type { ChangeMessage } from '#core/contracts/change_message'
import { openEventStream } from '#core/live/event_stream'
import {
  accessTopic,
  currentEventCursor,
  type LiveEvent,
  eventsSince,
  subscribeToAll,
} from '#core/live/live_events'
import type { OperationView } from '#core/contracts/operation_view'
import { operationsVisibleTo } from '#core/queries/operations'
import { tooManyRequests } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Delay of the first message. Events published at the same time become one message. */
const COALESCE_MS = 20
/** Events that arrive within this time after a message are sent together in the next one. */
const MIN_MESSAGE_INTERVAL_MS = 250
/** With more topics, the message says that any data may have changed. */
const MAX_TOPICS_PER_MESSAGE = 200
const MAX_STREAMS_PER_PERSON = 40

const openStreams = new Map<string, number>()

/**
 * Streams changes to a page. Staff receive all changes, customers those of their account and person. The stream
 * starts at the cursor that the page sends, or now without one. It ends when the person's sign-ins or access change.
 * The browser then reconnects, and access is checked again.
 * @throws 429 if the person has too many streams open
 */
export async function streamChanges(ctx: HttpContext): Promise<void> {
  const actor = ctx.actor
  const key = `${actor.audience}:${actor.id}`
  const streams = openStreams.get(key) ?? 0
  if (streams >= MAX_STREAMS_PER_PERSON)
    throw tooManyRequests(60, 'You have too many pages open. Close some of them.')
  const query: unknown = ctx.request.qs().since
  const since = ctx.request.header('last-event-id') ?? (typeof query === 'string' ? query : '')

  openStreams.set(key, streams + 1)
  const stream = openEventStream(ctx)
  stream.onClose(() => {
    const left = openStreams.get(key)! - 1
    if (left > 0) openStreams.set(key, left)
    else openStreams.delete(key)
  })
  const waiting = createPendingChanges(actor)
  let isSending = false
  let sentAt = -MIN_MESSAGE_INTERVAL_MS
  const send = async () => {
    if (isSending) return
    isSending = true
    try {
      while (waiting.any()) {
        await sleep(Math.max(COALESCE_MS, sentAt + MIN_MESSAGE_INTERVAL_MS - performance.now()))
        sentAt = performance.now()
        const mark = currentEventCursor()
        const { changed, passing } = waiting.take()
        const operations = await loadOperationStates(actor, changed)
        await stream.send({ changed, passing, operations } satisfies ChangeMessage, mark)
      }
    } catch {
      stream.end()
    } finally {
      isSending = false
    }
  }
  const read = (event: LiveEvent) => {
    if (event.topic === accessTopic(actor.id)) return stream.end()
    if (waiting.add(event)) void send()
  }
  // The response headers are already sent, so an error can only end the stream.
  const forget = await subscribeToAll(read).catch(() => stream.end())
  stream.onClose(() => forget?.())
  // Events since the page was rendered or the connection was lost. Without a cursor, the page missed none.
  const missed = since ? (eventsSince(since) ?? [{ topic: null, owner: null }]) : []
  for (const event of missed) if (waiting.add(event)) void send()
}

function createPendingChanges(actor: Actor) {
  let topics: Set<string> | null = new Set()
  let passing = new Set<string>()
  return {
    any: () => topics === null || topics.size + passing.size > 0,
    /** Adds the event to the next message. Returns false for `access:` events and if this person may not see it. */
    add(event: LiveEvent): boolean {
      const { topic } = event
      if (topic === null) topics = null
      else if (topic.startsWith('access:')) return false
      else if (!isVisibleTo(actor, event)) return false
      else if (event.passing) {
        if (passing.size < MAX_TOPICS_PER_MESSAGE) passing.add(topic)
      } else if (topics && topics.add(topic).size > MAX_TOPICS_PER_MESSAGE) topics = null
      return true
    },
    take(): Pick<ChangeMessage, 'changed' | 'passing'> {
      const taken = { changed: topics && [...topics], passing: [...passing] }
      topics = new Set()
      passing = new Set()
      return taken
    },
  }
}

/** An event without owner and person is only for staff. */
function isVisibleTo({ id, audience, account }: Actor, { owner, person }: LiveEvent): boolean {
  if (audience === 'staff') return true
  return person === undefined ? account !== null && owner === account.id : person === id
}

async function loadOperationStates(
  actor: Actor,
  changed: string[] | null
): Promise<OperationView[]> {
  const ids = (changed ?? []).flatMap(
    (topic) => /^operation:([0-9a-f-]{36})$/.exec(topic)?.[1] ?? []
  )
  if (ids.length === 0) return []
  const operations = await operationsVisibleTo(actor).whereIn('id', ids)
  return operations.map((operation) => operation.describe())
}
