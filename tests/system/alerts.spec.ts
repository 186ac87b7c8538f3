import { defineOperation, startOperation } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import { loadOwnDatabaseUse, recordProcessReports } from '#core/monitoring/measurements'
import { defineSchedule, startSchedules } from '#core/schedules/schedules'
import { sendMail } from '#core/mail/send_mail'
import { localMachineId } from '#core/local_host'
import Operation from '#core/models/operation'
import { checkHost } from '#hosts/check_host'
import { serveProcessMetrics } from '#packages/telemetry/metrics'
import { FakeIncus } from '#packages/incus/fake'
import { startFakeMailService } from '#mail/tests/fake_service'
import { startAlertDeliveryChecker } from '#tests/support/alert_receiver'
import { eventually } from '#tests/support/eventually'
import { createFakeHost, retireHosts, uniqueName, startFakeHost } from '#tests/support/hosts'
import { makeInstance } from '#tests/support/instances'
import { makeCustomer } from '#tests/support/people'
import { Secret } from '@adonisjs/core/helpers'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import { overrideSettings } from '#tests/support/override_settings'
import { test } from '@japa/runner'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

test.group('Each alert is sent by email and webhook when it begins and when it ends', (group) => {
  let watch: Awaited<ReturnType<typeof startAlertDeliveryChecker>>
  group.each.setup(async () => {
    watch = await startAlertDeliveryChecker()
    return () => watch.stop()
  })
  const later = () => new Date(Date.now() + 60_000)

  test('a host is unreachable', async ({ cleanup }) => {
    const fake = await FakeIncus.start()
    const host = await createFakeHost(fake)
    cleanup(() => retireHosts(host))
    await fake.stop()
    await checkHost(host)
    const words = new RegExp(`${host.name} is offline: `)
    await watch.seesArrive('hosts.away', String(host.id), words, () => retireHosts(host))
  })

  test('a host’s storage is nearly full', async ({ cleanup }) => {
    const total = 100 * 1024 ** 3
    const change = { diskTotal: total, diskUsed: total * 0.93 }
    const { host, stop } = await startFakeHost({ change })
    cleanup(stop)
    const words = new RegExp(`storage of ${host.name} is 93 % full. 7.0 GB are free`)
    await watch.seesArrive('hosts.pool', String(host.id), words, async () =>
      host.merge({ diskUsed: total * 0.5 }).save()
    )
  })

  test('the disk of the console’s machine is nearly full', async ({ cleanup }) => {
    const home = await mkdtemp(join(tmpdir(), 'berth-full-'))
    const sockets = join(home, '..', `${uniqueName('sockets')}`)
    await mkdir(sockets)
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'none', home])
    const undo = overrideSettings({ BERTH_HOME: home, METRICS_FOLDER: sockets })
    cleanup(async () => {
      undo()
      execFileSync('umount', [home])
      await rm(home, { recursive: true })
      await rm(sockets, { recursive: true })
    })
    const ballast = join(home, 'ballast')
    await writeFile(ballast, Buffer.alloc(15.6 * 1024 ** 2, 1))
    await recordProcessReports()
    await watch.seesArrive('core.disk', localMachineId(), /is 97 % full/, async () => {
      await rm(ballast)
      await recordProcessReports(later())
    })
  })

  test('a process of Berth is down', async ({ cleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-metrics-'))
    const undo = overrideSettings({ METRICS_FOLDER: folder })
    const role = uniqueName('pilot')
    cleanup(async () => {
      undo()
      await db.from('processes').where({ role }).delete()
      await rm(folder, { recursive: true })
    })
    const stop = await serveProcessMetrics({ role, version: '1', folder })
    // Simulates a process that reported a minute ago and never again.
    await recordProcessReports(new Date(Date.now() - 60_000))
    await stop()
    await recordProcessReports()
    const words = new RegExp(`No ${role} process responds on `)
    await watch.seesArrive('core.process', `${role}@${localMachineId()}`, words, async () => {
      const again = await serveProcessMetrics({ role, version: '1', folder })
      await recordProcessReports(later())
      await again()
    })
  })

  test('an operation is stuck, or a queue is too long', async ({ cleanup }) => {
    const kind = defineOperation({
      kind: `test.${randomUUID()}`,
      queue: 'guest',
      steps: [{ key: 'look', label: 'Look', run: async () => {} }],
      result: async () => {
        throw new Error('The mast is gone')
      },
    })
    const title = uniqueName('Setting up ship')
    const start = () =>
      startOperation(kind, {}, { title, accountId: null, subject: { type: 'test', id: title } })
    cleanup(async () => void (await Operation.query().where('title', title).delete()))
    const { id } = await start()
    for (let attempt = 0; attempt < 5; attempt++) await runSteps(id)
    const end = () => Operation.query().where('title', title).update({ status: 'failed' })
    const words = new RegExp(`${title}: The mast is gone`)
    await watch.seesArrive('core.stuck', id, words, end)

    // This test runs no worker. Marks operations that other tests queued as failed, so that they do not count.
    await Operation.query().where('status', 'queued').update({ status: 'failed' })
    const waiting = await start()
    const due = new Date(Date.now() - 20 * 60_000)
    await Operation.query().where('id', waiting.id).update({ dueAt: due.toISOString() })
    const waits = /1 operations wait in the queue guest, the oldest for 20 minutes/
    await watch.seesArrive('core.waiting', 'guest', waits, end)
  })

  test('a schedule fails repeatedly', async ({ assert, cleanup }) => {
    let isLow = true
    const schedule = defineSchedule({
      name: `test.${randomUUID()}`,
      label: uniqueName('Sounds the depth'),
      every: 1,
      run: async () => {
        if (isLow) throw new Error('No water')
      },
    })
    const stop = startSchedules([schedule])
    cleanup(async () => {
      await stop()
      await db.from('schedules').where({ name: schedule.name }).delete()
    })
    const failures = async () =>
      (await db.from('schedules').where({ name: schedule.name }).first())?.failures ?? 0
    await eventually(async () => assert.isAtLeast(await failures(), 3), 300_000)
    const words = new RegExp(`“${schedule.label}” failed \\d+ times in a row: No water`)
    await watch.seesArrive('core.schedule', schedule.name, words, async () => {
      isLow = false
      await eventually(async () => assert.equal(await failures(), 0))
    })
  })

  test('the database is nearly out of connections', async ({ assert, cleanup }) => {
    const clients: pg.Client[] = []
    const end = () => Promise.all(clients.splice(0).map((client) => client.end()))
    cleanup(async () => void (await end()))
    for (;;) {
      const { connections, most } = await loadOwnDatabaseUse()
      if (connections >= most * 0.92) break
      const client = new pg.Client({ connectionString: env.get('DATABASE_URL').release() })
      await client.connect()
      clients.push(client)
    }
    const words = /\d+ of \d+ database connections are in use/
    await watch.seesArrive('core.connections', 'database', words, async () => {
      await end()
      await eventually(async () => {
        const { connections, most } = await loadOwnDatabaseUse()
        assert.isBelow(connections, most * 0.9)
      })
    })
  })

  test('a certificate expires soon', async ({ cleanup }) => {
    const { id: instance, accountId: account } = await makeInstance(await makeCustomer())
    const subdomain = `${uniqueName('shop')}.example.com`
    const until = new Date(Date.now() + 5.5 * 86_400_000)
    const [{ id }] = await db
      .table('domains')
      .insert({
        server_instance_id: instance,
        account_id: account,
        subdomain,
        status: 'active',
        certificate_until: until,
      })
      .returning('id')
    cleanup(async () => void (await db.from('domains').where({ id }).delete()))
    const words = new RegExp(`certificate of ${subdomain} expires on .* \\(in 5 days\\)`)
    await watch.seesArrive('edge.certificate', String(id), words, () =>
      db
        .from('domains')
        .where({ id })
        .update({ certificate_until: new Date(Date.now() + 80 * 86_400_000) })
    )
  })

  test('Berth’s own mail is delayed', async () => {
    const waiting = () => db.from('outbox_mails').whereNotNull('due_at')
    const isOver = () => waiting().update({ due_at: null })
    await isOver()
    await sendMail({ to: 'late@example.com', subject: 'Your bill', text: 'Nothing is due.' })
    await waiting().update({ created_at: new Date(Date.now() - 45 * 60_000) })
    const words = /\d+ console emails wait for the mail service, the oldest for 45 minutes/
    // The emails about this alert are not sent either, so they count too.
    await watch.seesArrive('core.outbox', 'outbox', words, isOver)
  })

  test('mail is blocked, or bounces', async ({ cleanup }) => {
    const service = await startFakeMailService()
    const undo = overrideSettings({
      MAIL_CONTROL_URL: service.url,
      MAIL_CONTROL_KEY: new Secret(service.key),
    })
    cleanup(async () => {
      undo()
      await service.stop()
    })
    Object.assign(service.figures, { waiting: 12, oldestDue: 2_400 })
    const blocked = /12 emails are waiting\. The oldest should have been sent 40 minutes ago/
    await watch.seesArrive('mail.blocked', 'queue', blocked, async () => {
      Object.assign(service.figures, { waiting: 0, oldestDue: 0 })
    })
    Object.assign(service.figures.today, { delivered: 80, bounced: 20 })
    const bounces = /20 of the 100 emails sent today bounced \(20 %\)/
    await watch.seesArrive('mail.bounces', 'today', bounces, async () => {
      Object.assign(service.figures.today, { delivered: 500 })
    })
  })
})
