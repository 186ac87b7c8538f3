import { test } from '@japa/runner'
import { createDeliveryFixture, type DeliveryFixture } from './delivery_fixture.js'
import { deleteExpiredRows } from '../upkeep/main.js'

const MS_PER_DAY = 86_400_000

test.group('Retention of mail', (group) => {
  let its: DeliveryFixture
  group.each.setup(async () => {
    its = await createDeliveryFixture()
    return () => its.end()
  })

  const later = (days: number) => new Date(Date.now() + days * MS_PER_DAY)

  async function finish(id: string): Promise<void> {
    await its.database.rows(
      `update mail.messages set state = 'delivered', attempts = 1, final_at = now() where id = $1`,
      [id]
    )
    await its.database.rows(
      `insert into mail.attempts (message_id, number, at, outcome, answer, took) values ($1, 1, now(), 'delivered', 'ok', 1)`,
      [id]
    )
    await its.database.rows(
      `insert into mail.events (id, sender_id, message_id, type) values (gen_random_uuid(), $1, $2, 'delivered')`,
      [its.sender, id]
    )
  }

  async function left(id: string) {
    const count = async (statement: string) => (await its.database.rows(statement, [id])).length
    return {
      messages: await count('select 1 from mail.messages where id = $1'),
      contents: await count(
        'select 1 from mail.contents c join mail.messages m on m.content_id = c.id where m.id = $1'
      ),
      attempts: await count('select 1 from mail.attempts where message_id = $1'),
      events: await count('select 1 from mail.events where message_id = $1'),
    }
  }

  test('messages with a final state are deleted after their retention period, others never', async ({
    assert,
  }) => {
    const [final, waiting] = [await its.put('ann@there.test'), await its.put('bob@there.test')]
    await finish(final)
    await deleteExpiredRows(its.database, later(29))
    assert.deepEqual(await left(final), { messages: 1, contents: 1, attempts: 1, events: 1 })
    await deleteExpiredRows(its.database, later(31))
    assert.deepEqual(await left(final), { messages: 1, contents: 0, attempts: 1, events: 1 })
    await deleteExpiredRows(its.database, later(91))
    assert.deepEqual(await left(final), { messages: 0, contents: 0, attempts: 0, events: 0 })
    await deleteExpiredRows(its.database, later(1_000))
    assert.deepEqual(await left(waiting), { messages: 1, contents: 1, attempts: 0, events: 0 })
  })

  test('content that another pending message shares is kept', async ({ assert }) => {
    const [final, waiting] = [await its.put('ann@there.test'), await its.put('bob@there.test')]
    await its.database.rows(
      `update mail.messages set content_id = (select content_id from mail.messages where id = $2) where id = $1`,
      [final, waiting]
    )
    await finish(final)
    await deleteExpiredRows(its.database, later(200))
    assert.equal((await left(waiting)).contents, 1)
  })

  test('an event is kept while its webhook is pending', async ({ assert }) => {
    const id = await its.put('ann@there.test')
    await finish(id)
    await its.database.rows(
      `with hook as (
         insert into mail.webhooks (sender_id, url, events, secret) values ($1, 'http://x.test', '{delivered}', '') returning id
       ) insert into mail.deliveries (webhook_id, event_id)
         select hook.id, e.id from hook, mail.events e where e.message_id = $2`,
      [its.sender, id]
    )
    await deleteExpiredRows(its.database, later(91))
    assert.equal((await left(id)).events, 1)
    await its.database.rows(`update mail.deliveries set state = 'failed'`)
    await deleteExpiredRows(its.database, later(91))
    assert.equal((await left(id)).events, 0)
  })
})
