import { resumeAccount, suspendAccount } from '#accounts/actions/suspend_and_resume'
import { UsageEvent } from '#catalog/public'
import type Person from '#identity/models/person'
import { syncAllSenders } from '#mail/actions/sync_senders'
import { createSender, resendVerificationLink } from '#mail/actions/create_sender'
import {
  LINK_RESEND_INTERVAL_SECONDS,
  MAX_LINKS_PER_EMAIL_PER_DAY,
  MAX_SENDERS,
} from '#mail/limits'
import Sender from '#mail/models/sender'
import usage from '#mail/schedules/record_mail_usage'
import { type FakeMailService, messageOf } from '#mail/tests/fake_service'
import {
  freshAddress,
  freshDomain,
  linkSentTo,
  makeSender,
  pendingSender,
  startSharedMailService,
} from '#mail/tests/fixtures'
import { listMailsTo } from '#tests/support/outbox_mails'
import {
  actorOf,
  CONCURRENT_CUSTOMER_COUNT,
  makeCustomer,
  makeStaff,
  makeVisitor,
  signIn,
  type Visitor,
} from '#tests/support/people'
import { overrideSettings } from '#tests/support/override_settings'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import { assertPagesAnswerMeanwhile, startSilentServer } from '#tests/support/silent_server'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const nowhere = 'http://127.0.0.1:65533'

/**
 * Makes the mail service unreachable until the end of the test, or until the returned function is
 * called.
 */
function takeAway(cleanup: (undo: () => void) => void, instead = nowhere): () => void {
  const comeBack = overrideSettings({ MAIL_CONTROL_URL: instead })
  cleanup(comeBack)
  return comeBack
}

const rowsOf = async (visitor: Visitor) =>
  (await visitor.page('/email/list')).json.props!.emails as Record<string, unknown>[]

const logOf = async ({ id }: Pick<Sender, 'id'>) => {
  const subject = { subject_type: 'sender', subject_id: String(id) }
  const entries = await db.from('audit_entries').where(subject).orderBy('id')
  return entries.map(({ action }) => action as string)
}

test.group('Senders (customers’ email addresses)', (group) => {
  failOnSecondConnections(group)
  let service: FakeMailService
  let customer: Person
  let visitor: Visitor

  group.setup(async () => void (service = await startSharedMailService()))
  group.each.setup(async () => {
    customer = await makeCustomer()
    visitor = await signIn(customer)
  })

  test('are verified once by a link, and only by the button on its page', async ({ assert }) => {
    const email = freshAddress()
    const stored = await visitor.post('/email/store', { email: ` ${email.toUpperCase()} ` })
    assert.equal(stored.status, 201)
    const { id } = stored.json.data as { id: number }
    assert.isFalse(service.senders.has(id))
    assert.equal((await visitor.post('/email/secret', { id })).status, 409)
    const token = await linkSentTo(email)
    const raw = await db.from('mail_senders').where({ id }).first()
    assert.notInclude(JSON.stringify(raw), token)

    const reader = await makeVisitor()
    for (const _again of [1, 2]) {
      const { status, json } = await reader.page(`/email/verify/${token}`)
      assert.equal(status, 200)
      assert.containSubset(json.props!.asked, { email })
    }
    assert.equal((await Sender.findOrFail(id)).status, 'pending')
    assert.equal((await reader.post('/email/verify', { token })).status, 200)
    assert.equal((await reader.post('/email/verify', { token })).status, 409)
    assert.isNull((await reader.page(`/email/verify/${token}`)).json.props!.asked)
    const told = await visitor.post('/email/secret', { id })
    assert.equal(told.json.data!.secret_key, service.senders.get(id)!.secret)
    assert.deepEqual(await logOf({ id }), ['sender.store', 'sender.verify', 'sender.secret'])
  })

  test('are listed as specified, without their secrets', async ({ assert }) => {
    const sender = await makeSender(customer)
    const waiting = await pendingSender(customer)
    const { text, json } = await visitor.page('/email/list')
    const rows = json.props!.emails as Record<string, unknown>[]
    const month = new Date().toISOString().slice(0, 7)
    assert.containSubset(rows, [
      { id: waiting.id, email: waiting.email, status: 'pending', secret_key: null },
      { id: sender.id, secret_key: '••••••••', sent_mail_count: { [month]: 0 } },
    ])
    assert.containSubset(json.props, { accessKeyId: customer.id, page: 1, length: 50, count: 2 })
    assert.deepEqual(json.props!.emailStatus, {
      pending: 'Pending',
      verified: 'Verified',
      suspended: 'Suspended',
      deleted: 'Deleted',
    })
    const page = await visitor.page(`/email/${sender.id}`)
    for (const shown of [text, page.text]) assert.notInclude(shown, sender.secretKey!)
  })

  test('are added and get new links for more customers at the same time than there are connections', async ({
    assert,
  }) => {
    const actors = await Promise.all(
      Array.from({ length: CONCURRENT_CUSTOMER_COUNT }, async () => actorOf(await makeCustomer()))
    )
    const senders = await Promise.all(actors.map((actor) => createSender(actor, freshAddress())))
    const before = DateTime.utc().minus({ seconds: LINK_RESEND_INTERVAL_SECONDS })
    const ids = senders.map(({ id }) => id)
    await Sender.query().whereIn('id', ids).update({ linkSentAt: before.toSQL() })
    await Promise.all(
      senders.map((sender, index) => resendVerificationLink(sender, { actor: actors[index]! }))
    )
    for (const { email } of senders) assert.lengthOf(await listMailsTo(email), 2)
  })

  test('get a limited number of links a day, and rejected requests do not count', async ({
    assert,
  }) => {
    const actor = await actorOf(customer)
    const sender = await createSender(actor, freshAddress())
    const before = DateTime.utc().minus({ seconds: LINK_RESEND_INTERVAL_SECONDS }).toSQL()
    const again = async () => {
      await Sender.query().where('id', sender.id).update({ linkSentAt: before })
      await resendVerificationLink(sender, { actor })
    }
    for (let sent = 1; sent < MAX_LINKS_PER_EMAIL_PER_DAY; sent++) await again()
    await assert.rejects(again, /Too many/)
    await assert.rejects(again, /Too many/)
    assert.lengthOf(await listMailsTo(sender.email), MAX_LINKS_PER_EMAIL_PER_DAY)
  })

  test('have links that expire after 24 hours or with the next one, which requires a minute’s wait', async ({
    assert,
  }) => {
    const sender = await pendingSender(customer)
    const first = await linkSentTo(sender.email)
    assert.equal((await visitor.post('/email/link', { id: sender.id })).status, 429)
    const before = DateTime.utc().minus({ seconds: LINK_RESEND_INTERVAL_SECONDS + 1 })
    await sender.merge({ linkSentAt: before }).save()
    assert.equal((await visitor.post('/email/link', { id: sender.id })).status, 200)
    const second = await linkSentTo(sender.email)
    assert.notEqual(first, second)
    const reader = await makeVisitor()
    assert.equal((await reader.post('/email/verify', { token: first })).status, 409)
    const over = { tokenExpiresAt: DateTime.utc().minus({ seconds: 1 }) }
    await (await sender.refresh()).merge(over).save()
    assert.equal((await reader.post('/email/verify', { token: second })).status, 409)
    assert.equal((await sender.refresh()).status, 'pending')
  })

  test('belong to one account, and only people who read the address’s mail learn that', async ({
    assert,
  }) => {
    const first = await makeSender(customer)
    const other = await signIn(await makeCustomer())
    const stored = await other.post('/email/store', { email: first.email })
    assert.equal(stored.status, 201)
    assert.equal(stored.json.data!.status, 'pending')
    const reader = await makeVisitor()
    const token = await linkSentTo(first.email)
    const refused = await reader.post('/email/verify', { token })
    assert.equal(refused.status, 409)
    assert.include(refused.json.message, 'Another account')
    const end = { id: first.id, email: first.email }
    assert.equal((await visitor.post('/email/delete', end)).status, 200)
    assert.equal((await reader.post('/email/verify', { token })).status, 200)
  })

  test('are rejected if they exist, are invalid or exceed the limit', async ({ assert }) => {
    const sender = await pendingSender(customer)
    const odd = ['a', 'a@b', `${sender.email}\r\nBcc: x@example.com`, '<a@example.com>', undefined]
    for (const email of [sender.email, ...odd]) {
      const { status, json } = await visitor.post('/email/store', { email })
      assert.equal(status, 422, String(email))
      assert.property(json.errors, 'email')
    }
    await Sender.createMany(
      Array.from({ length: MAX_SENDERS - 1 }, (_one, index) => ({
        accountId: customer.id,
        email: `full-${index}@example.com`,
        status: 'pending' as const,
        sentMailCount: {},
      }))
    )
    const { status, json } = await visitor.post('/email/store', { email: freshAddress() })
    assert.equal(status, 409)
    assert.include(json.message, '100 addresses')
  })

  test('do not change while the mail service is down, and their pages report it', async ({
    assert,
    cleanup,
  }) => {
    const sender = await makeSender(customer)
    const waiting = await pendingSender(customer)
    const token = await linkSentTo(waiting.email)
    takeAway(cleanup)
    const { status, json, headers } = await visitor.post('/email/verify', { token })
    assert.equal(status, 503)
    assert.isOk(headers.get('retry-after'))
    assert.equal((await waiting.refresh()).status, 'pending')
    assert.equal((await visitor.page('/email/list')).status, 200)
    const page = await visitor.page(`/email/${sender.id}`)
    assert.containSubset(page.json.props, { problem: json.message, facts: null })
    const end = { id: sender.id, email: sender.email }
    assert.equal((await visitor.post('/email/delete', end)).status, 503)
    assert.equal((await sender.refresh()).status, 'verified')
    assert.notInclude(await logOf(sender), 'sender.delete')
  })

  test('do not block other pages while the mail service does not respond', async ({
    assert,
    cleanup,
  }) => {
    const sender = await makeSender(customer)
    const silent = await startSilentServer()
    cleanup(() => silent.stop())
    takeAway(cleanup, silent.url)
    const change = [
      () => visitor.post('/email/domain/store', { domain: freshDomain() }),
      () => visitor.post('/email/delete', { id: sender.id, email: sender.email }),
    ]
    const statuses = await assertPagesAnswerMeanwhile(
      silent,
      (index) => change[index % 2](),
      () => visitor.page('/vault/list')
    )
    assert.deepEqual([...new Set(statuses)], [503])
    assert.equal((await sender.refresh()).status, 'verified')
  })

  test('are deleted permanently if their address is typed', async ({ assert }) => {
    const sender = await makeSender(customer)
    const call = (email: string) => visitor.post('/email/delete', { id: sender.id, email })
    assert.equal((await call('another')).status, 422)
    assert.equal((await call(sender.email)).status, 200)
    assert.equal(service.senders.get(sender.id)!.info.state, 'deleted')
    assert.isNull((await sender.refresh()).secretKey)
    assert.equal((await visitor.get(`/email/${sender.id}`)).status, 404)
    assert.isEmpty(await rowsOf(visitor))
    const again = await visitor.post('/email/store', { email: sender.email })
    assert.equal(again.status, 201)
    assert.equal(again.json.data!.status, 'pending')
  })

  test('get a new secret', async ({ assert }) => {
    const sender = await makeSender(customer)
    const { json } = await visitor.post('/email/secret/rotate', { id: sender.id, overlap: 3_600 })
    assert.notEqual(json.data!.secret_key, sender.secretKey)
    const told = await visitor.post('/email/secret', { id: sender.id })
    assert.equal(told.json.data!.secret_key, json.data!.secret_key)
  })

  test('senders of a suspended account are paused until it is resumed', async ({ assert }) => {
    const sender = await makeSender(customer)
    const stateOf = () => service.senders.get(sender.id)!.info.state
    await suspendAccount(customer.id, 'Not paid', { actor: null })
    assert.equal(stateOf(), 'paused')
    assert.equal((await visitor.page(`/email/${sender.id}`)).status, 200)
    assert.equal((await visitor.post('/email/test', { id: sender.id })).status, 403)
    await resumeAccount(customer.id, { actor: null })
    assert.equal(stateOf(), 'active')
  })

  test('senders that staff suspended stay suspended when their account is resumed', async ({
    assert,
  }) => {
    const sender = await makeSender(customer)
    const waiting = await pendingSender(customer)
    const stateOf = () => service.senders.get(sender.id)!.info.state
    const staff = await signIn(await makeStaff())
    const suspend = { id: sender.id, reason: 'Abuse' }
    assert.equal((await staff.post('/admin/email/suspend', { id: sender.id })).status, 422)
    assert.equal((await staff.post('/admin/email/suspend', suspend)).status, 200)
    assert.equal((await staff.post('/admin/email/suspend', suspend)).status, 409)
    assert.equal(stateOf(), 'suspended')
    assert.containSubset(await rowsOf(visitor), [{ id: sender.id, secret_key: null }])
    const refused = await visitor.post('/email/secret', { id: sender.id })
    assert.equal(refused.status, 409)
    assert.include(refused.json.message, 'Abuse')
    await suspendAccount(customer.id, 'Not paid', { actor: null })
    await resumeAccount(customer.id, { actor: null })
    assert.equal(stateOf(), 'suspended')
    await suspendAccount(customer.id, 'Not paid', { actor: null })
    assert.equal((await staff.post('/admin/email/resume', { id: sender.id })).status, 200)
    assert.equal(stateOf(), 'paused')
    await resumeAccount(customer.id, { actor: null })
    assert.equal(stateOf(), 'active')

    // Ending the suspension of a pending sender does not verify it. During the suspension, its
    // verification link does not work.
    const token = await linkSentTo(waiting.email)
    await staff.post('/admin/email/suspend', { id: waiting.id, reason: 'Abuse' })
    assert.equal((await visitor.post('/email/verify', { token })).status, 409)
    await staff.post('/admin/email/resume', { id: waiting.id })
    assert.equal((await waiting.refresh()).status, 'pending')
  })

  test('are synced after an outage of the mail service, and their counts are saved', async ({
    assert,
    cleanup,
  }) => {
    const sender = await makeSender(customer)
    const comeBack = takeAway(cleanup)
    await suspendAccount(customer.id, 'Not paid', { actor: null })
    comeBack()
    assert.equal(service.senders.get(sender.id)!.info.state, 'active')
    await syncAllSenders(new AbortController().signal)
    assert.equal(service.senders.get(sender.id)!.info.state, 'paused')
    const [row] = await rowsOf(visitor)
    assert.deepEqual(Object.values(row.sent_mail_count as object), [3])
  })

  test('show staff the messages without their text', async ({ assert }) => {
    const sender = await makeSender(customer)
    const words = '<script>alert(1)</script>'
    const message = messageOf('ann@example.com', words, '<p>Secret words</p>')
    service.senders.get(sender.id)!.messages.push(message)
    const staff = await signIn(await makeStaff('support'))
    const list = await staff.page(`/admin/email/list?search=${sender.email}`)
    assert.containSubset(list.json.props!.emails, [
      { email: sender.email, customer: { id: customer.id } },
    ])
    assert.notInclude(list.text, sender.secretKey!)
    const query = `message_id=${message.id}`
    const theirs = await staff.get(`/admin/email/${sender.id}/message?${query}`)
    assert.notInclude(theirs.text, 'Secret words')
    const own = await visitor.get(`/email/${sender.id}/message?${query}`)
    assert.include(own.text, 'Secret words')
    const found = await visitor.get(`/email/${sender.id}/messages?search=ann&state=queued`)
    assert.containSubset(found.json.data, { count: 1, messages: [{ subject: words }] })
    const cancel = { id: sender.id, message_id: message.id }
    assert.equal((await visitor.post('/email/message/cancel', cancel)).status, 200)
    assert.equal((await visitor.post('/email/message/cancel', cancel)).status, 409)
    assert.equal((await visitor.post('/email/message/retry', cancel)).status, 409)
  })

  test('staff see the sizes of the mail service’s tables', async ({ assert, cleanup }) => {
    const contents = { name: 'contents', rows: 12, bytes: 49_152, kept: '30 days' }
    service.tables = [contents]
    const staff = await signIn(await makeStaff('support'))
    const shown = async () => (await staff.page('/admin/system?tab=tables')).json.props!.services
    assert.deepEqual(await shown(), [{ label: 'Mail', tables: [contents] }])
    takeAway(cleanup)
    assert.deepEqual(await shown(), [{ label: 'Mail', tables: null }])
  })

  test('have suppressed recipients and webhooks', async ({ assert }) => {
    const { id } = await makeSender(customer)
    const recipient = 'ann@example.com'
    await visitor.post('/email/suppression/store', { id, recipient, detail: 'Asked for it' })
    const list = () => visitor.get(`/email/${id}/suppressions?search=ann`)
    assert.containSubset((await list()).json.data, { suppressions: [{ recipient }] })
    await visitor.post('/email/suppression/remove', { id, recipient })
    assert.containSubset((await list()).json.data, { count: 0 })

    const url = 'https://shop.example.com/hook'
    const made = await visitor.post('/email/webhook/store', { id, url, events: ['bounced'] })
    assert.equal(made.status, 201)
    const secret = made.json.data!.secret as string
    const off = { id, webhook_id: made.json.data!.id, active: false }
    assert.equal((await visitor.post('/email/webhook/update', off)).status, 200)
    const hooks = await visitor.get(`/email/${id}/webhooks`)
    assert.containSubset(hooks.json.data, { webhooks: [{ url, active: false }] })
    assert.notInclude(hooks.text, secret)
    const log = await db.from('audit_entries').where('subject_id', String(id))
    assert.notInclude(JSON.stringify(log), secret)
  })

  test('send a test email to the signed-in person', async ({ assert }) => {
    const { id } = await makeSender(customer)
    assert.equal((await visitor.post('/email/test', { id })).status, 200)
    const [message] = service.senders.get(id)!.messages
    assert.equal(message.recipient, customer.email)
    assert.isEmpty(
      (await listMailsTo(customer.email)).filter(({ subject }) => /test/.test(subject))
    )
  })

  test('record accepted mail as usage once a day', async ({ assert }) => {
    const { id } = await makeSender(customer)
    // Uses the newest recorded day, because much older days are not read again.
    const newest = await UsageEvent.query()
      .where('meter', 'mail.accepted')
      .orderBy('at', 'desc')
      .first()
    const day = newest?.at.toUTC().toISODate() ?? '2026-10-07'
    const counts = { accepted: 12, delivered: 11, bounced: 1, complained: 0, opened: 0 }
    service.closed.push({ senderId: 0, accountId: 0, day, ...counts })
    service.closed.push({ senderId: id, accountId: customer.id, day, ...counts })
    for (const _again of [1, 2]) await usage.run(new AbortController().signal)
    const events = await UsageEvent.query().where('accountId', customer.id)
    assert.lengthOf(events, 1)
    assert.containSubset(events[0].serialize(), { meter: 'mail.accepted', quantity: '12.000000' })
    service.closed.length = 0
  })
})
