import type { ChangeMessage } from '#core/contracts/change_message'
import { currentEventCursor, eventsSince } from '#core/live/live_events'
import { sendMessage } from '#support/actions/send_message'
import type { MessageList } from '#support/transformers/page_props'
import { eventually } from '#tests/support/eventually'
import { actorOf, makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

/** Subscribes to events like a browser tab. Each event is added to the returned list. */
async function listen(visitor: Visitor, area: '' | '/admin', signal: AbortSignal) {
  const told: string[] = []
  const response = await fetch(`${visitor.base}${area}/changes`, {
    headers: { accept: 'text/event-stream', cookie: visitor.cookie },
    signal,
  })
  const read = async () => {
    let text = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const parts = text.split('\n\n')
      text = parts.pop()!
      for (const part of parts) {
        const data = /^data: (.+)$/m.exec(part)?.[1]
        if (!data) continue
        const { changed, passing } = JSON.parse(data) as ChangeMessage
        told.push(...(changed ?? []), ...passing)
      }
    }
  }
  void read().catch(() => {})
  return told
}

const until = (isSo: () => boolean) =>
  eventually(() => {
    if (!isSo()) throw new Error('Not yet')
  })

test.group('Live support: events', () => {
  test('typing and message events reach the customer and staff, and viewing events reach staff only', async ({
    assert,
    cleanup,
  }) => {
    const leaving = new AbortController()
    cleanup(() => leaving.abort())
    const [customer, other, staff] = [await makeCustomer(), await makeCustomer(), await makeStaff()]
    const [client, stranger, desk] = [
      await signIn(customer),
      await signIn(other),
      await signIn(staff),
    ]
    const theirs = await listen(client, '', leaving.signal)
    const strangers = await listen(stranger, '', leaving.signal)
    const ours = await listen(desk, '/admin', leaving.signal)
    const body = { client_id: customer.id }
    await desk.post('/admin/live-support/looking', body)
    await desk.post('/admin/live-support/typing', body)
    await client.post('/live-support/typing')
    const typing = (side: string, id: number) => `support_typing:${customer.id}:${side}:${id}`
    await until(() => theirs.includes(typing('staff', staff.id)))
    await until(() => ours.includes(typing('client', customer.id)))
    await until(() => ours.includes(`support_looking:${customer.id}:${staff.id}`))

    const mark = currentEventCursor()
    await client.post('/live-support/typing')
    await sendMessage(await actorOf(staff), customer.id, { text: 'Told last' })
    await sendMessage(await actorOf(other), other.id, { text: 'Told to the other' })
    await until(() => theirs.includes(`support:${customer.id}`))
    await until(() => strangers.includes(`support:${other.id}`))
    assert.isFalse(theirs.some((topic) => topic.startsWith('support_looking')))
    assert.isFalse(strangers.some((topic) => topic.includes(`:${customer.id}`)))
    // After a reconnection, a client gets the events of missed messages, but no old typing events.
    const missed = eventsSince(mark)!.map(({ topic }) => topic)
    assert.include(missed, `support:${customer.id}`)
    assert.isFalse(missed.some((topic) => topic?.startsWith('support_typing')))
  })

  test('50 messages sent simultaneously by HTTP have the same order on both sides, each once', async ({
    assert,
    cleanup,
  }) => {
    const leaving = new AbortController()
    cleanup(() => leaving.abort())
    const customer = await makeCustomer()
    const clients = [await signIn(customer), await signIn(customer)]
    const desks: Visitor[] = []
    for (let index = 0; index < 3; index++) desks.push(await signIn(await makeStaff('support')))
    /** Reads new messages after every event. Returns them in the order in which they arrived. */
    const follow = async (visitor: Visitor, area: '' | '/admin') => {
      const told = await listen(visitor, area, leaving.signal)
      const read: { sequence: number; key: string }[] = []
      const more = async () => {
        const after = read.at(-1)?.sequence ?? 0
        const query = `length=100&after=${after}&client_id=${customer.id}`
        const { json } = await visitor.get(`${area}/live-support/message-list?${query}`)
        const { messages } = json.data as unknown as MessageList
        read.push(...messages.map(({ sequence, key }) => ({ sequence, key })))
      }
      const run = async () => {
        for (let seen = 0; read.length < 50;) {
          await until(() => told.length > seen)
          seen = told.length
          await more()
        }
        // Reads once more, because a duplicate would arrive after the last message.
        await more()
        return read
      }
      return run()
    }
    const sides = [follow(clients[0], ''), follow(desks[0], '/admin')]
    const keys = Array.from({ length: 50 }, () => randomUUID())
    const send = (key: string, index: number) => {
      const desk = index % 2 ? desks[index % desks.length] : null
      const path = `${desk ? '/admin' : ''}/live-support/send-message`
      const body = { client_id: customer.id, text: `Number ${index}`, key }
      return (desk ?? clients[(index / 2) % 2]).post(path, body)
    }
    // Sends each message twice at the same time, as a browser would that got no response.
    const answers = await Promise.all([...keys, ...keys].map((key, at) => send(key, at % 50)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
    const [theirs, ours] = await Promise.all(sides)
    assert.deepEqual(theirs, ours)
    assert.deepEqual(
      theirs.map(({ sequence }) => sequence),
      Array.from({ length: 50 }, (_, index) => index + 1)
    )
    assert.sameMembers(
      theirs.map(({ key }) => key),
      keys
    )
  })
})
