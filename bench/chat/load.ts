import { Agent, request, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Target {
  url: string
  /** Request with which a browser polls a conversation that has no new messages. */
  poll: { path: string; headers: Record<string, string> }
  /** Request that opens an event stream. Each set of headers is used for the same number of streams. */
  stream: { path: string; headers: Record<string, string>[] }
  /** Sends a message. All streams get an event for it, or for several messages together. */
  say(): Promise<void>
}

export interface Load {
  /** Polls per second. `messages`: messages per second. */
  polls: number
  streams: number
  messages: number
  seconds: number
}

export interface Outcome {
  /** Durations of polls in milliseconds. */
  polls: number[]
  /**
   * Milliseconds from sending a message to its event on a stream. If there is one event for several messages, the
   * oldest of them is used.
   */
  told: number[]
  /** The same delays, but for single messages without any other load. */
  alone: number[]
  failed: number
}

const STREAM_BATCH_SIZE = 50
const SINGLE_MESSAGES = 20
const SINGLE_INTERVAL_MS = 500
const POLL_GROUP_INTERVAL_MS = 20

/** Opens the streams and creates the load. Calls `begun` after a warm-up, and `ended` before the single messages. */
export async function loadChat(
  target: Target,
  load: Load,
  begun: () => void,
  ended: () => void
): Promise<Outcome> {
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  const outcome: Outcome = { polls: [], told: [], alone: [], failed: 0 }
  /** Time at which each message was sent. */
  const said: number[] = []
  let counts = false
  /** List to which the delays of events are added at the moment. */
  let noted: number[] = []
  const streams = new Set<IncomingMessage>()
  const { path, headers: listeners } = target.stream
  const open = (place: number) =>
    get(target, { path, headers: listeners[place % listeners.length] }).then((response) => {
      if (response.statusCode !== 200) throw new Error(`A stream: ${response.statusCode}`)
      streams.add(response)
      let heard = said.length
      response.on('error', () => {})
      response.on('data', (chunk: Buffer) => {
        if (heard === said.length || !chunk.includes('data:')) return
        // Measures from the oldest message for which this stream has not received an event yet.
        noted.push(performance.now() - said[heard])
        heard = said.length
      })
    })
  for (let count = 0; count < load.streams; count += STREAM_BATCH_SIZE) {
    const group = Math.min(STREAM_BATCH_SIZE, load.streams - count)
    await Promise.all(Array.from({ length: group }, (_, index) => open(count + index)))
  }
  const first = await get(target, target.poll, agent)
  first.resume()
  const tag = first.headers.etag ?? ''
  const headers = { ...target.poll.headers, 'if-none-match': tag }
  const poll = async () => {
    const began = performance.now()
    try {
      const response = await get(target, { ...target.poll, headers }, agent)
      response.resume()
      if (response.statusCode !== 304) outcome.failed += 1
      if (counts) outcome.polls.push(performance.now() - began)
    } catch {
      outcome.failed += 1
    }
  }
  const during = async (seconds: number) => {
    const end = performance.now() + seconds * 1_000
    const under: Promise<void>[] = []
    const polling = async () => {
      for (let turn = 0, at = performance.now(); at < end; turn++) {
        for (let count = 0; count < (load.polls * POLL_GROUP_INTERVAL_MS) / 1_000; count++)
          under.push(poll())
        at += POLL_GROUP_INTERVAL_MS
        await sleep(Math.max(0, at - performance.now()))
      }
    }
    const saying = async () => {
      for (let at = performance.now(); at < end;) {
        said.push(performance.now())
        await target.say()
        at += 1_000 / load.messages
        await sleep(Math.max(0, at - performance.now()))
      }
    }
    await Promise.all([polling(), saying()])
    await Promise.all(under)
  }
  try {
    await during(3)
    outcome.failed = 0
    counts = true
    noted = outcome.told
    begun()
    await during(load.seconds)
    ended()
    noted = []
    for (let turn = 0; turn < SINGLE_MESSAGES; turn++) {
      await sleep(SINGLE_INTERVAL_MS)
      noted = outcome.alone
      said.push(performance.now())
      await target.say()
    }
    await sleep(SINGLE_INTERVAL_MS)
    return outcome
  } finally {
    for (const stream of streams) stream.destroy()
    agent.destroy()
  }
}

function get(
  { url }: Target,
  { path, headers }: { path: string; headers: Record<string, string> },
  agent?: Agent
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url + path, { headers, agent: agent ?? new Agent() }, resolve)
      .on('error', reject)
      .end()
  })
}
