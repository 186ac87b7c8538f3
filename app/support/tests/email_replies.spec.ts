import { loadReplyAddress, processEmailReplies } from '#mail/public'
import { type FakeMailService, startFakeMailService } from '#mail/tests/fake_service'
import { mailUnreadMessages } from '#support/actions/mail_unread_messages'
import { sendMessage } from '#support/actions/send_message'
import { receiveEmailReply } from '#support/receive_email_reply'
import { emailMessageIdOf } from '#support/mails'
import Message from '#support/models/message'
import { listMailsTo } from '#tests/support/outbox_mails'
import { actorOf, makeCustomer, makeStaff } from '#tests/support/people'
import { overrideSettings } from '#tests/support/override_settings'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

test.group('Live support: email replies', (group) => {
  let service: FakeMailService
  group.each.setup(async () => {
    service = await startFakeMailService()
    const goBack = overrideSettings({
      MAIL_CONTROL_URL: service.url,
      MAIL_CONTROL_KEY: new Secret(service.key),
    })
    return async () => {
      goBack()
      await service.stop()
    }
  })

  const take = () => processEmailReplies(receiveEmailReply, new AbortController().signal)
  let last = 0
  const entry = (sender: string, refs: string[], body: string) => ({
    id: ++last,
    messageId: `<${randomUUID()}@a.test>`,
    sender,
    refs,
    body,
  })

  test('a reply is fetched from the mail service and added to the conversation once', async ({
    assert,
  }) => {
    assert.equal(await loadReplyAddress(), 'reply@mail.berth.test')
    const [customer, staff] = [await makeCustomer(), await actorOf(await makeStaff('support'))]
    await sendMessage(staff, customer.id, { text: 'Which site?' })
    await db.rawQuery(
      `update support_messages set created_at = now() - interval '6 minutes' where client_id = ?`,
      [customer.id]
    )
    await mailUnreadMessages()
    const [mail] = await listMailsTo(customer.email)
    assert.include(mail.text, 'You can also reply to this email.')
    const ours = `<${emailMessageIdOf(customer.id, 1)}>`
    const answer = entry(customer.email, [ours], 'The shop.\n\nOn Monday, Support wrote:\n> Which')
    service.replies.push(
      entry('eve@a.test', [ours], 'From somebody else'),
      entry(customer.email, ['<unknown@a.test>'], 'About nothing'),
      answer
    )
    await take()
    assert.lengthOf(service.replies, 0)
    // Simulates a reply that Berth could not delete at the mail service, so it arrives again.
    service.replies.push({ ...answer, id: ++last })
    await take()
    const said = await Message.query().where({ clientId: customer.id, side: 'client' })
    assert.deepEqual(
      said.map(({ text }) => text),
      ['The shop.']
    )
  })

  test('emails offer no reply by email if no mail service runs', async ({ assert }) => {
    await service.stop()
    assert.isNull(await loadReplyAddress())
    await take()
    service = await startFakeMailService()
  })
})
