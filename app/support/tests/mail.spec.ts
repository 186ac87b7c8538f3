import { mailUnreadMessages } from '#support/actions/mail_unread_messages'
import { markRead } from '#support/actions/change_conversation'
import { sendMessage } from '#support/actions/send_message'
import { emailMessageIdOf } from '#support/mails'
import Message from '#support/models/message'
import { receiveEmailReply } from '#support/receive_email_reply'
import { listMailsTo } from '#tests/support/outbox_mails'
import { actorOf, makeCustomer, makeStaff } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

const age = (clientId: number, minutes: number) =>
  db.rawQuery(
    `update support_messages set created_at = created_at - make_interval(mins => ?) where client_id = ?`,
    [minutes, clientId]
  )

test.group('Live support by email', () => {
  test('if a message is unread for five minutes, all unread messages are emailed once', async ({
    assert,
  }) => {
    const [customer, staff] = [await makeCustomer(), await actorOf(await makeStaff('support'))]
    await sendMessage(staff, customer.id, { text: 'Is it <well> again?' })
    await mailUnreadMessages()
    assert.lengthOf(await listMailsTo(customer.email), 0)
    await age(customer.id, 6)
    await sendMessage(staff, customer.id, { text: 'Hello?' })
    await Promise.all([mailUnreadMessages(), mailUnreadMessages()])
    await mailUnreadMessages()
    const mails = await listMailsTo(customer.email)
    assert.lengthOf(mails, 1)
    assert.include(mails[0].text, 'Is it <well> again?')
    assert.include(mails[0].text, 'Hello?')
    assert.include(mails[0].text, '/?support')

    await sendMessage(staff, customer.id, { text: 'Read at once' })
    await markRead(await actorOf(customer), customer.id, 3)
    await age(customer.id, 6)
    await mailUnreadMessages()
    assert.lengthOf(await listMailsTo(customer.email), 1)
  })

  test('a reply by email becomes a message once, and only from the customer’s own address', async ({
    assert,
  }) => {
    const [customer, other] = [await makeCustomer(), await makeCustomer()]
    const staff = await actorOf(await makeStaff('support'))
    await sendMessage(staff, customer.id, { text: 'Which site?' })
    const id = `<${emailMessageIdOf(customer.id, 1)}>`
    const reply = {
      sender: customer.email.toUpperCase(),
      messageId: '<a@example.com>',
      refs: ['<unknown@example.com>', id],
      body: 'The shop.\r\n\r\nOn Monday, Support wrote:\r\n> Which site?',
    }
    assert.isTrue(await receiveEmailReply(reply))
    assert.isTrue(await receiveEmailReply(reply))
    const forged = id.replace(String(customer.id), String(other.id))
    for (const wrong of [
      { ...reply, sender: other.email },
      { ...reply, sender: other.email, refs: [forged] },
      { ...reply, refs: [] },
      { ...reply, body: ' \n' },
    ]) {
      assert.isFalse(await receiveEmailReply({ ...wrong, messageId: '<b@example.com>' }))
    }
    const said = await Message.query().where({ clientId: customer.id, side: 'client' })
    assert.include(
      said.map(({ text }) => text),
      'The shop.'
    )
    assert.lengthOf(
      said.filter(({ text }) => text === 'The shop.'),
      1
    )
    assert.lengthOf(await Message.query().where({ clientId: other.id }), 0)
  })
})
