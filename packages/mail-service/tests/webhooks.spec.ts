import { test } from '@japa/runner'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '#tests/support/eventually'
import type { OutgoingMailService } from '../outgoing_mail_types.js'
import { WebhookClient } from '../../service/webhooks.js'
import { trackingPixelToken, unsubscribeToken } from '../message_tokens.js'
import { createDeliveryFixture, MAIL_KEY, type DeliveryFixture } from './delivery_fixture.js'
import { startSmtpSink, type SmtpSink } from './smtp_sink.js'

const MS_PER_HOUR = 3_600_000

interface Seen {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** Starts a server that receives webhooks. `behave` sends its response, or leaves the request without a response. */
async function receiver(behave: (path: string, response: ServerResponse) => void) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url!
      seen.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString() })
      behave(path, response)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    seen,
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

function until(check: () => boolean | Promise<boolean>): Promise<void> {
  return eventually(async () => {
    if (!(await check())) throw new Error('It did not become so')
  })
}

test.group('Webhooks of the mail service', (group) => {
  let its: DeliveryFixture
  let sink: SmtpSink
  let outgoing: OutgoingMailService

  group.each.setup(async () => {
    its = await createDeliveryFixture()
    sink = await startSmtpSink()
    outgoing = await its.start({ port: sink.port })
    return async () => {
      await its.end()
      await sink.stop()
    }
  })

  const deliveriesOf = async (webhookId: number) =>
    (
      await outgoing.handlers.deliveries({
        senderId: its.sender,
        webhookId,
        limit: 100,
        offset: 0,
      })
    ).deliveries

  async function hook(url: string) {
    return outgoing.handlers.makeWebhook({ senderId: its.sender, url, events: ['delivered'] })
  }

  async function deliver(): Promise<string> {
    const id = await its.put('ann@there.test')
    outgoing.wake()
    await its.isFinal(id)
    return id
  }

  test('sends a signed request with the ID of the event', async ({ assert }) => {
    const other = await receiver((_, response) => response.end('ok'))
    const { id, secret } = await hook(`${other.url}/hook`)
    const message = await deliver()
    await until(() => other.seen.length === 1)
    const [{ headers, body }] = other.seen as [Seen]
    const said = JSON.parse(body)
    assert.equal(said.type, 'delivered')
    assert.containsSubset(said.data, { id: message, recipient: 'ann@there.test' })
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const expected = createHmac('sha256', key).update(signed).digest('base64')
    assert.equal(headers['webhook-signature'], `v1,${expected}`)
    await until(async () => (await deliveriesOf(id))[0]?.state === 'delivered')
    const [delivery] = await deliveriesOf(id)
    assert.containsSubset(delivery, { id: headers['webhook-id'], status: 200, answer: 'ok' })
    await other.stop()
  })

  test('retries a failed delivery for a day with the same ID, then gives up until it is resent by hand', async ({
    assert,
  }) => {
    let fails = true
    const other = await receiver((_, response) => {
      const answer = `${other.seen.length} ${'x'.repeat(5_000)}`
      response.writeHead(fails ? 500 : 204).end(fails ? answer : '')
    })
    const { id } = await hook(other.url)
    await deliver()
    for (let tries = 1; ; tries++) {
      // Until the response to this attempt is stored, `nextAt` is the end of the lease.
      const delivery = await eventually(async () => {
        const [{ attempts, status, answer, state, nextAt }] = await deliveriesOf(id)
        assert.isAtLeast(attempts, tries)
        assert.equal(status, 500)
        assert.isTrue(answer!.startsWith(`${attempts} `))
        return { attempts, state, nextAt }
      })
      // On a busy machine, the next attempt may have started before the test advanced the clock.
      tries = delivery.attempts
      if (delivery.state === 'failed') break
      its.ahead = Date.parse(delivery.nextAt!) - Date.now() + 1
      outgoing.wake()
      await its.database.rows('select 1')
      await wakeHooks()
    }
    assert.isAbove(its.ahead, 24 * MS_PER_HOUR)
    assert.lengthOf(new Set(other.seen.map(({ headers }) => headers['webhook-id'])), 1)
    const [failed] = await deliveriesOf(id)
    assert.lengthOf(failed!.answer!, 1_024)
    fails = false
    await outgoing.handlers.resendDelivery({
      senderId: its.sender,
      webhookId: id,
      id: failed!.id,
    })
    await until(async () => (await deliveriesOf(id))[0]!.state === 'delivered')
    await other.stop()
  })

  /** Changes a webhook. As a side effect, the service looks for due deliveries. */
  async function wakeHooks(): Promise<void> {
    const [first] = await outgoing.handlers.webhooks({ senderId: its.sender })
    await outgoing.handlers.changeWebhook({ senderId: its.sender, id: first!.id, active: true })
  }

  test('does not follow redirects, and an unresponsive receiver does not delay others', async ({
    assert,
  }) => {
    let [openSlowCalls, mostOpen] = [0, 0]
    const other = await receiver((path, response) => {
      if (path === '/slow') {
        mostOpen = Math.max(mostOpen, ++openSlowCalls)
        response.once('close', () => openSlowCalls--)
        return
      }
      if (path === '/moved') response.writeHead(302, { location: '/elsewhere' })
      response.end('ok')
    })
    const slow = await hook(`${other.url}/slow`)
    const moved = await hook(`${other.url}/moved`)
    const good = await hook(`${other.url}/good`)
    for (let each = 0; each < 30; each++) await its.put(`p${each}@there.test`)
    outgoing.wake()
    await until(async () => {
      const listed = await deliveriesOf(good.id)
      return listed.length === 30 && listed.every(({ state }) => state === 'delivered')
    })
    const slowCalls = other.seen.filter(({ path }) => path === '/slow').length
    await until(async () => (await deliveriesOf(moved.id)).some(({ status }) => status === 302))
    assert.isFalse(other.seen.some(({ path }) => path === '/elsewhere'))
    assert.isAtMost(mostOpen, 4)
    // Calls to the slow receiver time out after 15 s, and a busy machine may already have retried some. Most of the 30
    // have not been started.
    assert.isBelow(slowCalls, 15)
    assert.isTrue((await deliveriesOf(slow.id)).every(({ state }) => state === 'waiting'))
    await other.stop()
  })

  test('does not call private addresses, whether in the URL or by DNS', async ({ assert }) => {
    const other = await receiver((_, response) => response.end('inside'))
    const port = new URL(other.url).port
    const lookup = ((_: string, __: object, done: (e: null, found: object[]) => void) =>
      done(null, [{ address: '127.0.0.1', family: 4 }])) as never
    const caller = new WebhookClient({ allowPrivate: false, lookup })
    for (const url of [
      other.url,
      `http://looks.good.test:${port}`,
      'http://169.254.169.254/latest/meta-data',
      `http://[::ffff:127.0.0.1]:${port}`,
      `http://[::1]:${port}`,
      `http://0x7f.1:${port}`,
      `http://2130706433:${port}`,
      'file:///etc/passwd',
    ]) {
      const said = await caller.post(url, {}, '{}')
      assert.isFalse(said.ok, url)
      assert.isNull(said.status, url)
    }
    assert.lengthOf(other.seen, 0)
    await caller.close()
    await other.stop()
  })

  test('only a POST unsubscribes and suppresses, and opening a message counts only if enabled', async ({
    assert,
  }) => {
    const id = await deliver()
    const pages = createServer((request, response) => {
      void outgoing.http(request, response, request.url!).then((ours) => {
        if (!ours) response.writeHead(418).end()
      })
    })
    await new Promise<void>((done) => pages.listen(0, '127.0.0.1', done))
    const at = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`
    const link = `${at}/u/${unsubscribeToken(MAIL_KEY, id)}`
    assert.equal((await fetch(link)).status, 200)
    assert.isUndefined(await its.suppressed('ann@there.test'))
    assert.equal(
      (await fetch(`${at}/u/${trackingPixelToken(MAIL_KEY, id)}`, { method: 'POST' })).status,
      404
    )
    const body = 'List-Unsubscribe=One-Click'
    assert.equal((await fetch(link, { method: 'POST', body })).status, 200)
    assert.equal((await fetch(link, { method: 'POST', body })).status, 200)
    assert.equal(await its.suppressed('ann@there.test'), 'unsubscribed')
    const picture = `${at}/o/${trackingPixelToken(MAIL_KEY, id)}`
    await fetch(picture)
    await its.database.rows('update mail.senders set track_opens = true where id = $1', [
      its.sender,
    ])
    await fetch(picture)
    assert.equal((await fetch(picture)).headers.get('content-type'), 'image/gif')
    const rows = await its.database.rows<{ type: string }>(
      'select type from mail.events where message_id = $1 order by type',
      [id]
    )
    assert.deepEqual(
      rows.map((row) => row.type),
      ['delivered', 'opened', 'unsubscribed']
    )
    assert.equal((await fetch(`${at}/other`)).status, 418)
    pages.close()
    pages.closeAllConnections()
  })
})
