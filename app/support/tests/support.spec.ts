import { actorOf, makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { makeBill } from '#billing/tests/fixtures'
import Operation from '#core/models/operation'
import { markRead, setConversationStatus } from '#support/actions/change_conversation'
import { sendMessage } from '#support/actions/send_message'
import { MAX_MESSAGES_PER_MINUTE } from '#support/limits'
import Conversation from '#support/models/conversation'
import Message from '#support/models/message'
import { countMessagesUnreadByClient } from '#support/queries/messages'
import type {
  ClientDetails,
  ClientList,
  LiveSupportPage,
  MessageList,
  MessageView,
} from '#support/transformers/page_props'
import { eventually } from '#tests/support/eventually'
import { makeInstance } from '#tests/support/instances'
import { startTestVaultService } from '#vault/tests/fixtures'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

const LIST_PATH = '/live-support/message-list'
const SEND_PATH = '/live-support/send-message'

const messages = async (visitor: Visitor, query = '', area = '') => {
  const answer = await visitor.get(`${area}${LIST_PATH}${query}`)
  return answer.json.data as unknown as MessageList
}
const sent = (answer: { json: { data?: Record<string, unknown> } }) =>
  answer.json.data!.message as MessageView

/** Decodes `content` as the specification demands. */
const decoded = (content: string) =>
  content
    .split(/<br\s*\/?>/i)
    .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
    .join('\n')

async function bothSides() {
  const [customer, staff] = [await makeCustomer(), await makeStaff('support')]
  const [client, desk] = [await signIn(customer), await signIn(staff)]
  return { customer, staff, client, desk }
}

const unreadBy = async (id: number) =>
  Number((await countMessagesUnreadByClient(id))[0].$extras.total)

test.group('Live support: messages', (group) => {
  group.setup(async () => void (await startTestVaultService()))

  test('go both ways with the fields of the specification', async ({ assert }) => {
    const { customer, staff, client, desk } = await bothSides()
    const text = 'My <b>site</b> & 100% of it\nis + gone, আমার'
    const made = await client.post(SEND_PATH, { sender_id: staff.id, client_id: customer.id, text })
    assert.equal(made.status, 201)
    const query = `?page=1&length=100&client_id=${customer.id}`
    const list = await messages(desk, query, '/admin')
    assert.equal(list.count, 1)
    const [message] = list.messages
    assert.equal(message.sender_id, customer.id, 'the sender is who is signed in')
    assert.equal(message.client_id, customer.id)
    assert.notMatch(message.content, /[ <>&]/)
    assert.equal(decoded(message.content), text)
    assert.equal(message.temp, false)

    await desk.post(`/admin${SEND_PATH}`, {
      sender_id: 1,
      client_id: customer.id,
      text: 'Let me look',
    })
    const back = await messages(client, '?page=1&length=100')
    assert.deepEqual(
      back.messages.map(({ sequence, sender_id: sender }) => [sequence, sender]),
      [
        [1, customer.id],
        [2, staff.id],
      ]
    )
  })

  test('a message that is sent several times with one key is saved once', async ({ assert }) => {
    const { customer, client } = await bothSides()
    const body = { text: 'Once', key: randomUUID() }
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.post(SEND_PATH, body)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201])
    assert.equal(new Set(answers.map((answer) => sent(answer).id)).size, 1)
    assert.equal((await messages(client)).count, 1)
    const other = await client.post(SEND_PATH, { ...body, text: 'Something else' })
    assert.equal(other.status, 409)
    assert.equal((await Conversation.findOrFail(customer.id)).lastSequence, 1)
  })

  test('have the same order on both sides with 50 parallel senders', async ({ assert }) => {
    const customer = await makeCustomer()
    const client = await signIn(customer)
    const person = await actorOf(customer)
    const staff = await Promise.all(
      Array.from({ length: 25 }, async () => actorOf(await makeStaff('support')))
    )
    const senders = [...staff, ...Array.from({ length: 25 }, () => person)]
    await Promise.all(
      senders.map((sender, index) => sendMessage(sender, customer.id, { text: `From ${index}` }))
    )
    const desk = await signIn(await makeStaff('support'))
    const theirs = await messages(client)
    const ours = await messages(desk, `?client_id=${customer.id}`, '/admin')
    assert.equal(theirs.count, 50)
    assert.deepEqual(
      theirs.messages.map(({ sequence }) => sequence),
      Array.from({ length: 50 }, (_, index) => index + 1)
    )
    assert.deepEqual(
      ours.messages.map(({ id, content }) => [id, content]),
      theirs.messages.map(({ id, content }) => [id, content])
    )
    assert.equal(new Set(theirs.messages.map(({ content }) => content)).size, 50)
  })

  test('a client that was offline gets the missed messages by the last sequence number', async ({
    assert,
  }) => {
    const { customer, client } = await bothSides()
    const person = await actorOf(customer)
    for (let index = 1; index <= 7; index++) {
      await sendMessage(person, customer.id, { text: `${index}` })
    }
    const gap = await messages(client, '?after=3&length=3')
    assert.deepEqual(
      gap.messages.map(({ sequence }) => sequence),
      [4, 5, 6]
    )
    assert.equal(gap.count, 7)
    assert.deepEqual((await messages(client, '?after=7')).messages, [])
    const older = await messages(client, '?page=2&length=3')
    assert.deepEqual(
      older.messages.map(({ sequence }) => sequence),
      [2, 3, 4]
    )
  })

  test('a message about a page shows that page’s resource, but links only to the customer’s own', async ({
    assert,
  }) => {
    const { customer, client } = await bothSides()
    const [instance, foreign] = [
      await makeInstance(customer, 'stopped'),
      await makeInstance(await makeCustomer()),
    ]
    const bill = await makeBill(customer)
    const page = `/server-instance/${instance.id}`
    const asked = async (address: string) => {
      const { page: kept, about } = sent(
        await client.post(SEND_PATH, { text: 'This', page: address })
      )
      return [kept, about?.name, about?.status]
    }
    assert.deepEqual(await asked(`${page}?tab=domains`), [page, instance.name, 'stopped'])
    await instance.merge({ status: 'active' }).save()
    const [first] = (await messages(client)).messages
    assert.equal(first.about?.status, 'stopped', 'as it was then')
    const path = `/billing/${bill.id}`
    assert.deepEqual(await asked(path), [path, `${bill.number}, ৳1,225.00`, 'pending'])
    for (const none of [
      `/server-instance/${foreign.id}`,
      '/billing/999999999',
      '/profile',
      '/x/1',
    ]) {
      assert.deepEqual(await asked(none), [null, undefined, undefined], none)
    }
  })

  test('empty, mixed, too long and too many messages are rejected', async ({ assert }) => {
    const { customer, client } = await bothSides()
    for (const body of [
      {},
      { text: '' },
      { text: ' \n\t' },
      { text: 'a', photos: 'chat-file/x.jpg' },
      { text: 'a'.repeat(10_001) },
      { text: 'a', page: 'https://elsewhere.example' },
      { text: 'a', page: '//elsewhere.example' },
      { photos: ',' },
    ]) {
      assert.equal(
        (await client.post(SEND_PATH, body)).status,
        422,
        JSON.stringify(body).slice(0, 60)
      )
    }
    const person = await actorOf(customer)
    for (let index = 0; index < MAX_MESSAGES_PER_MINUTE; index++) {
      await sendMessage(person, customer.id, { text: 'again' })
    }
    const flood = await client.post(SEND_PATH, { text: 'again' })
    assert.equal(flood.status, 429)
    assert.isNotNull(flood.headers.get('retry-after'))
  })

  test('requests about another customer get the same 404 as those about an unknown one', async ({
    assert,
  }) => {
    const { customer, client, desk } = await bothSides()
    const other = await makeCustomer()
    await sendMessage(await actorOf(other), other.id, { text: 'Private' })
    const foreign = await client.get(`${LIST_PATH}?client_id=${other.id}`)
    const unknown = await client.get(`${LIST_PATH}?client_id=999999999`)
    assert.deepEqual([foreign.status, foreign.text], [404, unknown.text])
    for (const path of [SEND_PATH, '/live-support/read', '/live-support/typing']) {
      const answer = await client.post(path, { client_id: other.id, text: 'x', sequence: 1 })
      assert.equal(answer.status, 404, path)
    }
    assert.equal((await Conversation.findOrFail(other.id)).clientRead, 0)
    assert.equal((await Message.query().where({ clientId: other.id })).length, 1)
    const nobody = await desk.post(`/admin${SEND_PATH}`, {
      client_id: customer.id + 10 ** 9,
      text: 'x',
    })
    assert.equal(nobody.status, 404)
  })
})

test.group('Live support: unread and waiting', () => {
  test('the server counts unread messages, and an older read mark has no effect', async ({
    assert,
  }) => {
    const { customer, staff, client } = await bothSides()
    const agent = await actorOf(staff)
    const person = await actorOf(customer)
    await sendMessage(agent, customer.id, { text: 'One' })
    await sendMessage(agent, customer.id, { text: 'Two' })
    await sendMessage(person, customer.id, { text: 'Yes?' })
    assert.equal(await unreadBy(customer.id), 2, 'own messages are never unread')
    const page = await client.page('/profile')
    assert.equal((page.json.props!.badges as Record<string, number>)['/live-support'], 2)
    await client.post('/live-support/read', { sequence: 1 })
    assert.equal(await unreadBy(customer.id), 1)
    await client.post('/live-support/read', { sequence: 999 })
    await markRead(person, customer.id, 1)
    const { read } = await messages(client)
    assert.deepEqual(read, { client: 3, staff: 0 })
    assert.equal(await unreadBy(customer.id), 0)
  })

  test('a question waits until staff answer, and the first who answers is assigned', async ({
    assert,
  }) => {
    const { customer, staff, desk } = await bothSides()
    const person = await actorOf(customer)
    await sendMessage(person, customer.id, { text: 'Anybody?' })
    const asked = await Conversation.findOrFail(customer.id)
    assert.equal(asked.status, 'waiting')
    await asked.merge({ waitingSince: asked.waitingSince!.minus({ minutes: 3 }) }).save()
    await sendMessage(person, customer.id, { text: 'Hello?' })
    await sendMessage(await actorOf(staff), customer.id, { text: 'Here' })
    const answered = await Conversation.findOrFail(customer.id)
    assert.deepEqual([answered.status, answered.waitingSince], ['open', null])
    assert.equal(answered.assignedTo, staff.id)
    const last = await Message.query().where({ clientId: customer.id, sequence: 3 }).firstOrFail()
    assert.isAtLeast(last.waited!, 180)
    await setConversationStatus(customer.id, 'closed')
    await sendMessage(person, customer.id, { text: 'One more thing' })
    assert.equal((await Conversation.findOrFail(customer.id)).status, 'waiting')

    const list = await desk.get(
      `/admin/live-support/client-list?page=1&length=50&status=waiting&search=${encodeURIComponent(customer.email)}`
    )
    const data = list.json.data as unknown as ClientList
    assert.deepEqual(
      data.clients.map(({ client_id: id }) => id),
      [customer.id]
    )
    assert.equal(data.clients[0].unread, 3)
    assert.equal(data.clients[0].assigned_to?.name, staff.name)
    assert.isAbove(data.waits.answers, 0)
    assert.deepEqual(Object.keys(data.clientStatus), ['waiting', 'open', 'closed'])
  })

  test('staff can save notes that customers never see, and search messages', async ({ assert }) => {
    const { customer, client, desk } = await bothSides()
    const word = `mooring${randomUUID().slice(0, 8)}`
    const bill = await makeBill(customer)
    await client.post(SEND_PATH, { text: `The ${word} line is loose` })
    await desk.post('/admin/live-support/note', { client_id: customer.id, text: `Note ${word}` })
    assert.notInclude((await client.get(LIST_PATH)).text, 'Note')
    const facts = await desk.get(`/admin/live-support/client?client_id=${customer.id}`)
    assert.include(facts.text, `Note ${word}`)
    assert.include(facts.text, customer.email)
    const [account] = (facts.json.data as unknown as ClientDetails).accounts
    const bills = account.things.find(({ label }) => label === 'Open bills')!.things
    assert.deepEqual(
      bills.map(({ name, href }) => [name, href]),
      [[`${bill.number}, ৳1,225.00`, `/admin/billing/details/${bill.id}`]]
    )
    const id = randomUUID()
    const subject = { subjectType: 'server_instance', subjectId: '12' }
    const failed = await Operation.create({
      id,
      kind: 'test.support',
      queue: 'machine',
      title: 'Start web-1',
      error: 'No address',
      ...subject,
      status: 'failed',
      accountId: customer.id,
      input: {},
      state: {},
      steps: [],
    })
    const later = await desk.get(`/admin/live-support/client?client_id=${customer.id}`)
    assert.containSubset((later.json.data as unknown as ClientDetails).failures, [
      {
        id,
        title: 'Start web-1',
        error: 'No address',
        subject: { type: 'server_instance', id: '12' },
      },
    ])
    await failed.delete()
    const found = await desk.get(`/admin/live-support/search?text=${word.slice(0, 10)} loo'`)
    assert.equal((found.json.data!.found as unknown[]).length, 1)
    const odd = await desk.get(`/admin/live-support/search?text=${encodeURIComponent("':* & !")}`)
    assert.deepEqual(odd.json.data!.found, [])
  })
})

test.group('Live support: staff page', () => {
  test('a conversation can be assigned only to staff, or to nobody', async ({ assert }) => {
    const { customer, desk } = await bothSides()
    const colleague = await makeStaff('support')
    await sendMessage(await actorOf(customer), customer.id, { text: 'Hello' })
    const give = (id: number | null) =>
      desk.post('/admin/live-support/assign', { client_id: customer.id, staff_id: id })
    const has = async () => (await Conversation.findOrFail(customer.id)).assignedTo
    assert.equal((await give(colleague.id)).status, 200)
    assert.equal(await has(), colleague.id)
    for (const nobody of [customer.id, 999_999_999]) {
      assert.equal((await give(nobody)).status, 422)
    }
    await desk.post(`/admin${SEND_PATH}`, { client_id: customer.id, text: 'Here' })
    assert.equal(await has(), colleague.id)
    assert.equal((await give(null)).status, 200)
    assert.isNull(await has())
  })

  test('saved replies are shared by all staff, and each title exists once', async ({ assert }) => {
    const { client, desk } = await bothSides()
    const colleague = await signIn(await makeStaff())
    const title = `Reply ${randomUUID()}`
    const save = (text: string) => desk.post('/admin/live-support/reply/store', { title, text })
    const kept = async () => {
      const { json } = await colleague.page('/admin/live-support')
      const { replies } = json.props as unknown as LiveSupportPage
      return replies.filter((reply) => reply.title === title)
    }
    assert.equal((await save('First')).status, 201)
    assert.equal((await save('Second')).status, 201)
    assert.deepEqual(
      (await kept()).map(({ text }) => text),
      ['Second']
    )
    const [{ id }] = await kept()
    assert.equal((await client.post('/admin/live-support/reply/delete', { id })).status, 401)
    assert.equal((await colleague.post('/admin/live-support/reply/delete', { id })).status, 200)
    assert.lengthOf(await kept(), 0)
  })
})

test.group('Live support: polls', () => {
  test('a poll without new messages gets 304, and other polls get a full response', async ({
    assert,
  }) => {
    const { customer, staff, client } = await bothSides()
    const path = `${LIST_PATH}?page=1&length=100`
    const poll = async (tag: string) => client.get(path, { 'if-none-match': tag })
    // Retried, because responses have no ETag until the process has subscribed to events. The first
    // request starts that.
    const tag = await eventually(async () => {
      const found = (await client.get(path)).headers.get('etag')
      if (!found) throw new Error('Not listening yet')
      return found
    })
    assert.equal((await poll(tag)).status, 304)
    await sendMessage(await actorOf(await makeCustomer()), (await makeCustomer()).id, { text: 'x' })
    assert.equal((await poll(tag)).status, 304, 'what others say is nothing new')
    await sendMessage(await actorOf(staff), customer.id, { text: 'New' })
    await eventually(async () => {
      if ((await poll(tag)).status !== 200) throw new Error('Not yet')
    })
    const fresh = (await client.get(path)).headers.get('etag')!
    assert.equal((await poll(fresh)).status, 304)
    assert.equal((await client.get(`${path}&after=0`, { 'if-none-match': fresh })).status, 200)
    // A request with a forged ETag gets a full response. After the sign-out, a request with a valid
    // ETag gets 401.
    assert.equal((await poll(fresh.replace(/.{43}"$/, `${'a'.repeat(43)}"`))).status, 200)
    await client.post('/logout')
    await eventually(async () => {
      if ((await poll(fresh)).status !== 401) throw new Error('Still answered')
    })
  })
})
