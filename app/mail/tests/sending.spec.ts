import MailDomain from '#mail/models/mail_domain'
import Sender from '#mail/models/sender'
import { freshAddress, freshDomain, linkSentTo, publish } from '#mail/tests/fixtures'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { overrideSettings } from '#tests/support/override_settings'
import { startTestMailService, type TestService } from '#packages/mail-service/tests/test_service'
import {
  receivedMailsTo,
  type SmtpSink,
  startSmtpSink,
} from '#packages/mail-service/tests/smtp_sink'
import { Secret } from '@adonisjs/core/helpers'
import { test } from '@japa/runner'

/** These tests use a real mail service, which delivers to an SMTP server that the tests run. */
test.group('Sending emails', (group) => {
  let sink: SmtpSink
  let service: TestService

  group.setup(async () => {
    sink = await startSmtpSink()
    const relayUrl = `smtp://127.0.0.1:${sink.port}`
    service = await startTestMailService({ relayUrl, mailHost: 'mail.berth.test' })
    const restoreSettings = overrideSettings({
      MAIL_CONTROL_URL: service.url,
      MAIL_CONTROL_KEY: new Secret(process.env.MAIL_CONTROL_KEY!),
    })
    return async () => {
      restoreSettings()
      await service.stop()
      await sink.stop()
    }
  })

  test('works with the copied secret, until staff suspend the sender', async ({ assert }) => {
    const customer = await makeCustomer()
    const visitor = await signIn(customer)
    const email = freshAddress()
    await visitor.post('/email/store', { email })
    await visitor.post('/email/verify', { token: await linkSentTo(email) })
    const { id } = await Sender.findByOrFail({ email })
    const told = await visitor.post('/email/secret', { id })
    const subject = '<img src=x onerror=alert(1)>'
    const send = (headers: Record<string, string> = {}) =>
      fetch(`${service.url}/send-mail`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-access-key-id': String(told.json.data!.access_key_id),
          'x-secret-key': String(told.json.data!.secret_key),
          ...headers,
        },
        body: JSON.stringify({
          sender_email: email,
          sender_name: 'My Shop',
          subject,
          recipient_email: 'ann@example.com',
          recipient_name: 'Ann',
          mail_body: '<p>Hello Ann.</p>',
        }),
      })
    const sent = await send()
    assert.equal(sent.status, 200)
    await eventually(async () => assert.lengthOf(receivedMailsTo(sink, 'ann@example.com'), 1))
    await eventually(async () => {
      const { json } = await visitor.get(`/email/${id}/messages?state=delivered`)
      assert.containSubset(json.data, { count: 1, messages: [{ subject }] })
    })
    const { json } = await visitor.get(`/email/${id}/messages`)
    const [{ id: message_id }] = json.data!.messages as { id: string }[]
    const message = await visitor.get(`/email/${id}/message?message_id=${message_id}`)
    assert.containSubset(message.json.data!.message, {
      html: '<p>Hello Ann.</p>',
      state: 'delivered',
      history: [{ outcome: 'delivered', code: 250 }],
    })
    const page = await visitor.page(`/email/${id}`)
    assert.containSubset(page.json.props!.facts, { month: { accepted: 1, cost: '0.0004' } })
    assert.equal((await visitor.get(`/email/${id}/usage`)).status, 200)

    assert.equal((await visitor.post('/email/test', { id })).status, 200)
    await eventually(async () => assert.isNotEmpty(receivedMailsTo(sink, customer.email)))

    const recipient = 'ann@example.com'
    await visitor.post('/email/suppression/store', { id, recipient })
    const list = await visitor.get(`/email/${id}/suppressions`)
    assert.containSubset(list.json.data, { suppressions: [{ recipient, reason: 'by_hand' }] })
    await visitor.post('/email/suppression/remove', { id, recipient })
    const url = 'https://shop.example.com/hook'
    const hook = await visitor.post('/email/webhook/store', { id, url, events: ['bounced'] })
    assert.equal(hook.status, 201)
    const wrong = await visitor.post('/email/webhook/store', {
      id,
      url: 'https://[bad',
      events: ['bounced'],
    })
    assert.equal(wrong.status, 422)
    assert.property(wrong.json.errors, 'url')
    await visitor.post('/email/update', { id, track_opens: true })
    const after = await visitor.page(`/email/${id}`)
    assert.containSubset(after.json.props!.facts, { track_opens: true })

    const rotated = await visitor.post('/email/secret/rotate', { id, overlap: 0 })
    assert.equal((await send()).status, 401)
    const fresh = { 'x-secret-key': String(rotated.json.data!.secret_key) }
    assert.equal((await send(fresh)).status, 200)
    const staff = await signIn(await makeStaff())
    assert.equal((await staff.post('/admin/email/suspend', { id, reason: 'Abuse' })).status, 200)
    assert.isAtLeast((await send(fresh)).status, 400)
    await staff.post('/admin/email/resume', { id })
    assert.equal((await send(fresh)).status, 200)
  })

  test('from an own domain is allowed once DNS has its records', async ({ assert }) => {
    const visitor = await signIn(await makeCustomer())
    const name = freshDomain()
    await visitor.post('/email/domain/store', { domain: name })
    const { id } = await MailDomain.findByOrFail({ domain: name })
    const check = async () => (await visitor.post('/email/domain/check', { id })).json.data!.status
    assert.equal(await check(), 'pending')
    const { records } = (await visitor.page(`/email/domain/${id}`)).json.props as never
    const purposes = (records as { purpose: string }[]).map(({ purpose }) => purpose)
    assert.sameMembers(purposes, ['dkim', 'spf', 'return_path', 'dmarc'])
    publish(await service.control.call('domain', { id }))
    assert.equal(await check(), 'active')
    assert.equal((await service.control.call('domain', { id })).state, 'active')
  })
})
