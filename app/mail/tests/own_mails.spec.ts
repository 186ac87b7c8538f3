import { takeOverPgBossJobs } from '#core/take_over_pg_boss_jobs'
import { deliverDueMails } from '#core/mail/outbox_delivery'
import { sendMail, sendMails } from '#core/mail/send_mail'
import Operation from '#core/models/operation'
import deliverMails from '#core/schedules/deliver_mails'
import { startSchedules } from '#core/schedules/schedules'
import { startFakeMailService, type FakeMailService } from '#mail/tests/fake_service'
import { eventually } from '#tests/support/eventually'
import { startMailServer } from '#tests/support/mail_server'
import { overrideSettings } from '#tests/support/override_settings'
import { freshEmail } from '#tests/support/people'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import pg from 'pg'

const mailTo = (to: string) => db.from('outbox_mails').where({ to }).firstOrFail()
const deliver = () => deliverDueMails(new AbortController().signal)
const bill = (to: string) => ({ to, subject: 'Your bill', text: 'Nothing is due.' })

test.group('Emails from Berth', (group) => {
  let service: FakeMailService
  group.each.setup(async () => {
    // Keeps emails of other tests from being sent here.
    await db.from('outbox_mails').update({ due_at: null })
    service = await startFakeMailService()
    const restoreSettings = overrideSettings({
      MAIL_CONTROL_URL: service.url,
      MAIL_CONTROL_KEY: new Secret(service.key),
    })
    return async () => {
      restoreSettings()
      await service.stop()
    }
  })

  test('are sent once by the mail service if it has an outgoing route', async ({
    assert,
    cleanup,
  }) => {
    cleanup(startSchedules([deliverMails]))
    const to = freshEmail()
    const until = new Date(Date.now() + 60_000)
    const secret = { until, subject: 'Hello' }
    await sendMail({ to, subject: 'Hello', text: 'Your code is 123456.', secret })
    await eventually(async () => assert.isNotNull((await mailTo(to)).sent_at))
    await eventually(async () => assert.isNull((await mailTo(to)).secret_until))
    const kept = await mailTo(to)
    const own = service.own.filter((mail) => mail.to === to)
    assert.lengthOf(own, 1)
    assert.containSubset(own[0], { key: `outbox-${kept.id}`, secret: true })
    assert.include(own[0].text, '123456')
    assert.notInclude(JSON.stringify(kept), '123456')
  })

  test('are sent only if the transaction that queues them commits', async ({ assert }) => {
    const to = freshEmail()
    const trx = await db.transaction()
    await sendMail(bill(to), trx)
    await deliver()
    assert.isEmpty(service.own)
    await trx.rollback()
    await deliver()
    assert.isEmpty(service.own)
    assert.isEmpty(await db.from('outbox_mails').where({ to }))
  })

  test('are retried after growing delays, and given up after twelve retries', async ({
    assert,
    cleanup,
  }) => {
    const to = freshEmail()
    await sendMail(bill(to))
    const gone = await startFakeMailService()
    await gone.stop()
    cleanup(overrideSettings({ MAIL_CONTROL_URL: gone.url }))
    const pauses: number[] = []
    for (let attempt = 1; attempt <= 13; attempt++) {
      await deliver()
      const { attempts, sent_at: sentAt, due_at: dueAt, text } = await mailTo(to)
      assert.deepEqual([attempts, sentAt, text], [attempt, null, bill(to).text])
      if (dueAt) pauses.push(Math.round((dueAt.getTime() - Date.now()) / 1_000))
      if (dueAt) await db.from('outbox_mails').where({ to }).update({ due_at: new Date() })
    }
    // Each pause is about twice the previous one, with a random part. The tolerance includes the time
    // that the test took.
    assert.lengthOf(pauses, 12)
    pauses.forEach((pause, index) => assert.closeTo(pause, 1.5 * 2 ** index, 2 ** index / 2 + 5))
    assert.isNull((await mailTo(to)).due_at)
  })

  test('are not sent while the lease of a dead worker is valid, and are sent afterwards', async ({
    assert,
  }) => {
    const to = freshEmail()
    await sendMail(bill(to))
    const taken = { attempts: 1, due_at: db.raw(`now() + interval '1 minute'`) }
    await db.from('outbox_mails').where({ to }).update(taken)
    await deliver()
    assert.isEmpty(service.own)
    await db
      .from('outbox_mails')
      .where({ to })
      .update({ due_at: db.raw('now()') })
    await deliver()
    assert.lengthOf(service.own, 1)
  })

  test('stay in the outbox without an outgoing route', async ({ assert }) => {
    service.out = 'none'
    const to = freshEmail()
    await sendMail(bill(to))
    await deliver()
    assert.containSubset(await mailTo(to), { sent_at: null, due_at: null, text: bill(to).text })
  })

  test('emails with a code are sent before any queued bills', async ({ assert }) => {
    await sendMails(Array.from({ length: 100 }, () => bill(freshEmail())))
    const to = freshEmail()
    const secret = { until: new Date(Date.now() + 60_000), subject: 'Hello' }
    await sendMail({ to, subject: 'Hello', text: 'Your code is 123456.', secret })
    await deliver()
    assert.lengthOf(service.own, 101)
    const place = service.own.findIndex((mail) => mail.to === to)
    assert.isBelow(place, 60)
  })

  test('are retried soon if the SMTP server never ends its response', async ({
    assert,
    cleanup,
  }) => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.write('220 mx.example.com ESMTP\r\n')
      const timer = setInterval(() => socket.write('250-mx.example.com\r\n'), 20)
      socket.on('close', () => clearInterval(timer))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    service.out = 'none'
    const restoreSettings = overrideSettings({
      SMTP_URL: new Secret(`smtp://127.0.0.1:${port}`),
    })
    cleanup(async () => {
      restoreSettings()
      server.close()
      await once(server, 'close')
    })
    const to = freshEmail()
    await sendMail(bill(to))
    await deliverDueMails(new AbortController().signal, 500)
    const { attempts, sent_at: sentAt, due_at: dueAt } = await mailTo(to)
    assert.deepEqual([attempts, sentAt], [1, null])
    assert.isBelow(dueAt.getTime(), Date.now() + 10_000)
  })

  test('are sent once by two workers at the same time', async ({ assert, cleanup }) => {
    const server = await startMailServer()
    service.out = 'none'
    const restoreSettings = overrideSettings({ SMTP_URL: new Secret(server.url) })
    cleanup(async () => {
      restoreSettings()
      await server.stop()
    })
    const people = Array.from({ length: 60 }, freshEmail)
    await sendMails(people.map(bill))
    await Promise.all([deliver(), deliver()])
    assert.lengthOf(server.taken, 60)
    for (const to of people) assert.isNotNull((await mailTo(to)).sent_at)
  })
})

test.group('Emails and alerts in the queue of the previous release', (group) => {
  const owner = async (sql: string) => {
    const client = new pg.Client({ connectionString: process.env.MIGRATION_DATABASE_URL })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  group.setup(async () => {
    // Creates the job table of pg-boss 12, with the columns that Berth reads.
    await owner(`drop schema if exists pgboss cascade; create schema pgboss;
      create type pgboss.job_state as enum
        ('created', 'retry', 'active', 'completed', 'cancelled', 'failed');
      create table pgboss.job (name text not null, data jsonb, state pgboss.job_state not null,
        started_on timestamptz, expire_seconds int not null default 900);
      grant usage on schema pgboss to public;
      grant select, insert, delete on pgboss.job to public`)
    return () => owner('drop schema pgboss cascade')
  })

  test('are taken over, except those that a worker of that release is sending', async ({
    assert,
  }) => {
    const made = async (state: string, startedOn: string | null = null) => {
      const to = freshEmail()
      await db.table('outbox_mails').insert({ ...bill(to), from: 'berth@example.com' })
      const { id } = await mailTo(to)
      const job = { name: 'system-mail', data: { id: Number(id) }, state }
      await db.table('pgboss.job').insert({ ...job, started_on: startedOn && db.raw(startedOn) })
      return to
    }
    const waiting = [
      await made('created'),
      await made('retry'),
      await made('active', `now() - interval '16 minutes'`),
    ]
    const others = [await made('active', 'now()'), await made('completed')]
    const call = { id: `alert-${randomUUID()}`, body: '{}' }
    const [name, state] = ['alert-webhook', 'created']
    await db.table('pgboss.job').insert({ name, data: call, state })
    await takeOverPgBossJobs()
    await takeOverPgBossJobs()
    for (const to of waiting) assert.isNotNull((await mailTo(to)).due_at)
    for (const to of others) assert.isNull((await mailTo(to)).due_at)
    const left = await db.from('pgboss.job').orderBy('state').select('state')
    assert.deepEqual(
      left.map((job) => job.state as string),
      ['active', 'completed']
    )
    const operations = await Operation.query().where({ kind: 'alert.webhook', subjectId: call.id })
    assert.lengthOf(operations, 1)
    assert.deepEqual(operations[0].input, call)
  })
})
