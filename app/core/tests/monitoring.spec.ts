import { allModules } from '#core/modules'
import {
  type AlertRule,
  allAlertRules,
  evaluateAlertRules,
  type DetectedProblem,
} from '#core/monitoring/alerts'
import { queueAlertWebhookCall } from '#core/monitoring/alert_notifications'
import { renderAllMetrics, type ExporterOptions, startExporter } from '#core/monitoring/exporter'
import { renderGauges } from '#core/monitoring/gauges'
import { recordProcessReports, sumIncreases } from '#core/monitoring/measurements'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { saveAlertSettings } from '#core/monitoring/alert_settings'
import type { SystemPage } from '#core/page_props'
import {
  HISTOGRAM_BUCKETS_SECONDS,
  countRequest,
  mergePrometheusTexts,
  serveProcessMetrics,
  fetchProcessReports,
  metricsRegistry,
  type ProcessReport,
  histogramQuantileSeconds,
} from '#packages/telemetry/metrics'
import { EventLoopLagMeter } from '#packages/telemetry/event_loop_lag'
import { startAlertReceiver } from '#tests/support/alert_receiver'
import { eventually } from '#tests/support/eventually'
import { makeStaff, signIn } from '#tests/support/people'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { overrideSettings } from '#tests/support/override_settings'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

const folder = () => mkdtemp(join(tmpdir(), 'berth-metrics-'))

function statusOf(port: number, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((done, fail) => {
    request({ port, host: '127.0.0.1', path: '/metrics', headers }, (response) => {
      response.resume()
      done(response.statusCode!)
    })
      .once('error', fail)
      .end()
  })
}

test.group('Metrics', () => {
  test('one response contains the metrics of all processes and modules, each described once', async ({
    assert,
    cleanup,
  }) => {
    const at = await folder()
    const stop = await serveProcessMetrics({ role: 'web', version: '1.2.3', folder: at })
    cleanup(async () => {
      await stop()
      await rm(at, { recursive: true })
    })
    countRequest('GET', '/project/list', 200, 0.02)
    const text = await renderAllMetrics(at)
    const described = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    assert.lengthOf(new Set(described), described.length)
    const own = `role="web",pid="${process.pid}"`
    assert.include(text, `berth_process_info{version="1.2.3",${own}} 1`)
    assert.match(
      text,
      /berth_http_request_duration_seconds_count\{.*route="\/project\/list".*\} \d/
    )
    for (const { name } of allModules().flatMap(({ gauges }) => gauges ?? [])) {
      assert.include(described, name)
    }
    assert.notMatch(text, /berth_gauge_failed\{/)
    const twice = mergePrometheusTexts([text, text])
    assert.lengthOf([...twice.matchAll(/^# TYPE berth_process_info/gm)], 1)
    assert.lengthOf([...twice.matchAll(/^berth_process_info/gm)], 2)
  })

  test('every metric in the Grafana dashboard exists', async ({ assert, cleanup }) => {
    const at = await folder()
    cleanup(await serveProcessMetrics({ role: 'test', version: '1.2.3', folder: at }))
    await import('#core/operations/runner')
    const text = await renderAllMetrics(at)
    const known = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].flatMap(([, name, type]) =>
        type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name]
      )
    )
    // Only the gateway process exports this metric (see tests/system).
    known.add('berth_terminals_open')
    for (const part of ['used', 'free', 'waiting']) known.add(`berth_pool_${part}`)
    const board = await readFile(app.makePath('docs/grafana/berth.json'), 'utf8')
    const { panels } = JSON.parse(board) as { panels: { targets?: { expr: string }[] }[] }
    const asked = panels
      .flatMap(({ targets = [] }) => targets)
      .flatMap(({ expr }) => expr.match(/\b(?:berth|nodejs|process)_[a-z0-9_]+\b/g) ?? [])
    assert.isAbove(asked.length, 20)
    assert.deepEqual(
      asked.filter((name) => !known.has(name)),
      []
    )
  })

  test('only this machine, or a client with the token, can read metrics', async ({
    assert,
    cleanup,
  }) => {
    const at = await folder()
    const start = async (options: Partial<ExporterOptions>) => {
      const exporter = await startExporter({ host: '127.0.0.1', port: 0, folder: at, ...options })
      cleanup(() => exporter.stop())
      return exporter.port()
    }
    const open = await start({})
    assert.equal(await statusOf(open), 200)
    assert.equal(await statusOf(open, { 'x-forwarded-for': '203.0.113.7' }), 403)
    assert.equal(await statusOf(open, { forwarded: 'for=203.0.113.7' }), 403)
    assert.equal(await statusOf(open, { host: 'console.example.com' }), 403)
    const guarded = await start({ token: 'lighthouse' })
    assert.equal(await statusOf(guarded), 401)
    assert.equal(await statusOf(guarded, { authorization: 'Bearer lighthous' }), 401)
    const allowed = { authorization: 'Bearer lighthouse', host: 'metrics.example.com' }
    assert.equal(await statusOf(guarded, allowed), 200)
    await assert.rejects(() => start({ host: '0.0.0.0' }), /needs METRICS_TOKEN/)
    const base = `http://127.0.0.1:${process.env.PORT}`
    assert.equal((await fetch(`${base}/metrics`)).status, 404)
  })

  test('a gauge that fails does not affect the others', async ({ assert, cleanup }) => {
    const [{ gauges = [] }] = allModules()
    gauges.push({
      name: 'berth_test_broken',
      help: 'Breaks',
      read: async () => {
        throw new Error('No sounding')
      },
    })
    cleanup(() => void gauges.pop())
    const text = await renderGauges()
    assert.include(text, 'berth_gauge_failed{gauge="berth_test_broken"} 1')
    assert.include(text, '# TYPE berth_operations gauge')
  })

  test('the 99th percentile is calculated from a histogram', ({ assert }) => {
    const none = new Array<number>(HISTOGRAM_BUCKETS_SECONDS.length + 1).fill(0)
    assert.isNull(histogramQuantileSeconds(0.99, none))
    const classes = none.with(2, 98).with(5, 2)
    assert.closeTo(histogramQuantileSeconds(0.5, classes)!, 0.0176, 0.001)
    assert.closeTo(histogramQuantileSeconds(0.99, classes)!, 0.0875, 0.001)
    assert.equal(histogramQuantileSeconds(0.99, none.with(HISTOGRAM_BUCKETS_SECONDS.length, 5)), 10)
  })
})

test.group('Processes', () => {
  test('the page System shows each process with its status and requests', async ({
    assert,
    cleanup,
  }) => {
    const at = await folder()
    const undo = overrideSettings({ METRICS_FOLDER: at })
    const role = `test-${randomUUID().slice(0, 8)}`
    let isReady = true
    const stop = await serveProcessMetrics({
      role,
      version: '9.9.9',
      folder: at,
      ready: async () => isReady,
    })
    cleanup(async () => {
      undo()
      await db.from('processes').where({ role }).delete()
    })
    const staff = await signIn(await makeStaff('support'))
    const shown = async () => {
      const { json } = await staff.page('/admin/system')
      const { health } = json.props as unknown as Extract<SystemPage, { tab: 'health' }>
      return { ...health, mine: health.processes.find((one) => one.role === role)! }
    }
    await recordProcessReports()
    countRequest('GET', '/', 200, 0.03)
    countRequest('GET', '/', 500, 0.03)
    const earlier = (await shown()).hour
    await recordProcessReports()
    const first = await shown()
    assert.containsSubset(first.mine, { version: '9.9.9', status: 'ready', pid: process.pid })
    assert.isAbove(first.mine.memory, 1_000_000)
    assert.isAtLeast(first.hour.requests, earlier.requests + 2)
    assert.isAtLeast(first.hour.faults, earlier.faults + 1)
    assert.isNumber(first.hour.p99)
    assert.isAbove(first.history.series.connections.at(-1)!, 0)

    isReady = false
    await recordProcessReports()
    assert.equal((await shown()).mine.status, 'busy')
    await stop()
    await db
      .from('processes')
      .where({ role })
      .update({ seen_at: new Date(Date.now() - 60_000) })
    await recordProcessReports()
    assert.equal((await shown()).mine.status, 'away')
    const [alert] = allAlertRules().filter(({ name }) => name === 'core.process')
    const troubles = await alert.findProblems()
    const mine = troubles.find(({ key }) => key.startsWith(`${role}@`))
    assert.match(mine!.words, new RegExp(`^No ${role} process responds on `))
  })

  test('the event loop lag is reported without a Prometheus server that requests the metrics', async ({
    assert,
    cleanup,
  }) => {
    const at = await folder()
    cleanup(await serveProcessMetrics({ role: 'test', version: '1.2.3', folder: at }))
    // The metrics of prom-client change only when they are requested. Another test may have done so.
    metricsRegistry.getSingleMetric('nodejs_eventloop_lag_p99_seconds')!.reset()
    await eventually(async () => {
      const [report] = await fetchProcessReports(at)
      assert.isAbove(report.lag, 0)
      assert.isBelow(report.lag, 30)
    })

    const meter = new EventLoopLagMeter(1_500)
    for (let block = 0; block < 5; block++) {
      const end = Date.now() + 200
      while (Date.now() < end);
      await setImmediate()
    }
    await eventually(() => assert.isAbove(meter.seconds(), 0.1))
    await eventually(() => assert.isBelow(meter.seconds(), 0.1))
  })

  test('requests since the previous report are counted, also after a restart', ({ assert }) => {
    const none = new Array<number>(HISTOGRAM_BUCKETS_SECONDS.length + 1).fill(0)
    const report = (more: Partial<ProcessReport>): ProcessReport => ({
      role: 'web',
      pid: 7,
      version: '1',
      startedAt: '2026-11-24T00:00:00.000Z',
      ready: true,
      memory: 0,
      heap: 0,
      lag: 0,
      classes: none,
      faults: 0,
      ...more,
    })
    const before = new Map([
      ['web 7 2026-11-24T00:00:00.000Z', report({ classes: none.with(1, 5) })],
    ])
    const same = sumIncreases(before, [report({ classes: none.with(1, 8), faults: 2 })])
    assert.deepEqual(same, { classes: none.with(1, 3), faults: 2 })
    const young = new Date().toISOString()
    const anew = report({ classes: none.with(0, 4), startedAt: young })
    assert.equal(sumIncreases(before, [anew]).classes[0], 4)
    const old = report({ pid: 8, classes: none.with(0, 9) })
    assert.equal(sumIncreases(before, [old]).classes[0], 0)
  })
})

test.group('Alerts', (group) => {
  const to = `watch-${randomUUID()}@example.com`
  let target: Awaited<ReturnType<typeof startAlertReceiver>>
  const names = new Set<string>()

  group.setup(async () => {
    target = await startAlertReceiver()
    const settings = { recipients: [to], webhook_url: target.url }
    await db.from('alert_settings').delete()
    const secret = await db.transaction((trx) => saveAlertSettings(settings, trx))
    target.trust(secret!)
    return async () => {
      await target.stop()
      await db.from('alert_settings').delete()
      for (const table of ['alerts', 'alert_silences'])
        await db
          .from(table)
          .whereIn('name', [...names])
          .delete()
    }
  })

  function anAlert(more: Partial<AlertRule> = {}) {
    const name = `test.${randomUUID()}`
    names.add(name)
    const wrong: DetectedProblem[] = []
    const alert: AlertRule = {
      name,
      label: `Pier ${name.slice(-6)} under water`,
      runbook: 'README',
      findProblems: async () => wrong,
      ...more,
    }
    const mails = async () => {
      const rows = await db.from('outbox_mails').where({ to }).orderBy('id')
      return rows
        .map(({ subject }) => subject as string)
        .filter((subject) => subject.includes(alert.label))
        .map((subject) => subject.replace(alert.label, '').trim())
    }
    const row = () => db.from('alerts').where({ name }).orderBy('id', 'desc').first()
    return { alert, wrong, mails, row, look: (at: Date) => evaluateAlertRules([alert], at) }
  }
  const minutes = (count: number) => new Date(Date.now() + count * 60_000)

  test('notify once when they begin, each day while they last, and once when they end', async ({
    assert,
  }) => {
    const { wrong, look, mails, row } = anAlert({ after: 120 })
    wrong.push({ key: 'pier', severity: 'critical', words: 'The tide is 4 m.' })
    await look(minutes(0))
    assert.equal((await row()).status, 'pending')
    assert.deepEqual(await mails(), [])
    await look(minutes(3))
    assert.equal((await row()).status, 'firing')
    assert.deepEqual(await mails(), ['[Berth]'])
    await look(minutes(10))
    await look(minutes(60 * 20))
    assert.deepEqual(await mails(), ['[Berth]'])
    await look(minutes(60 * 25))
    assert.deepEqual(await mails(), ['[Berth]', '[Berth] Still active:'])
    wrong.pop()
    // The problem was absent for less than a minute, so the alert is not resolved.
    await look(new Date(minutes(60 * 25).getTime() + 30_000))
    assert.equal((await row()).status, 'firing')
    await look(minutes(60 * 26))
    assert.equal((await row()).status, 'resolved')
    assert.deepEqual(await mails(), ['[Berth]', '[Berth] Still active:', '[Berth] Resolved:'])
    await look(minutes(60 * 27))
    assert.lengthOf(await mails(), 3)
    const letter = await db.from('outbox_mails').where({ to }).orderBy('id', 'desc').first()
    assert.include(letter.text, 'Resolved: The tide is 4 m.')
    assert.include(letter.text, 'docs/runbooks/README.md')
  })

  test('alerts that end before the first notification leave no record', async ({ assert }) => {
    const { wrong, look, mails, row } = anAlert({ after: 120 })
    wrong.push({ key: 'pier', severity: 'warning', words: 'A gust.' })
    await look(minutes(0))
    wrong.pop()
    await look(minutes(1))
    assert.isNull(await row())
    assert.deepEqual(await mails(), [])
  })

  test('keep their state while their check fails, and another alert reports the failing check', async ({
    assert,
  }) => {
    let isFoggy = false
    const { look, mails, row, alert } = anAlert({
      findProblems: async () => {
        if (isFoggy) throw new Error('Fog')
        return [{ key: 'pier', severity: 'warning', words: 'Low.' }]
      },
    })
    await look(minutes(0))
    isFoggy = true
    await look(minutes(10))
    assert.equal((await row()).status, 'firing')
    assert.deepEqual(await mails(), ['[Berth]'])
    const blind = allAlertRules().find(({ name }) => name === 'core.blind')!
    const told = (await blind.findProblems()).find(({ key }) => key === alert.name)
    assert.include(told!.words, 'Fog')
    isFoggy = false
    await look(minutes(11))
    assert.notInclude(
      (await blind.findProblems()).map(({ key }) => key),
      alert.name
    )
  })

  test('alerts that staff silence notify nobody until the silence ends, and the audit log has the reason', async ({
    assert,
  }) => {
    const { wrong, look, mails, row, alert } = anAlert({ after: 120 })
    wrong.push({ key: 'pier', severity: 'critical', words: 'High water.' })
    await look(minutes(0))
    const { id } = await row()
    const staff = await signIn(await makeStaff('support'))
    const path = `/admin/alerts/${id}`
    assert.equal((await staff.post(`${path}/silence`, { hours: 4, reason: '' })).status, 422)
    const silenced = await staff.post(`${path}/silence`, { hours: 4, reason: 'Spring tide' })
    assert.equal(silenced.status, 200)
    await look(minutes(5))
    assert.deepEqual(await mails(), [])
    const { json } = await staff.page('/admin/system')
    const { health } = json.props as unknown as Extract<SystemPage, { tab: 'health' }>
    const need = health.needs.find(({ label }) => label === alert.label)!
    assert.containsSubset(need, { status: 'firing', silence: { reason: 'Spring tide' } })
    const entry = await db.from('audit_entries').where({ action: 'alert.silenced', subject_id: id })
    assert.lengthOf(entry, 1)
    assert.equal(entry[0].after.reason, 'Spring tide')
    await look(minutes(60 * 5))
    assert.deepEqual(await mails(), ['[Berth]'])
    assert.equal((await staff.post(`${path}/unsilence`, {})).status, 200)
    assert.equal((await staff.post(`${path}/unsilence`, {})).status, 409)
    wrong.pop()
    await look(minutes(60 * 6))
    assert.equal((await staff.post(`${path}/silence`, { hours: 4, reason: 'Late' })).status, 409)
  })

  test('call the webhook with a signature and the same id for each retry', async ({ assert }) => {
    const { wrong, look, row } = anAlert()
    wrong.push({ key: 'pier', severity: 'critical', words: 'It sinks.' })
    await look(minutes(0))
    const { id } = await row()
    const calls = await Operation.query().where('subjectId', `alert-${id}-began`)
    assert.lengthOf(calls, 1)
    const [call] = calls
    target.answerWith(503)
    await runSteps(call.id)
    await call.refresh()
    assert.equal(call.status, 'running')
    assert.match(call.steps[0].note!, /503: noted/)
    assert.closeTo(call.dueAt.diffNow('seconds').seconds, 20, 10)
    target.answerWith(200)
    await runSteps(call.id)
    await call.refresh()
    assert.equal(call.status, 'done')
    const mine = target.calls.filter((one) => one.id === `alert-${id}-began`)
    assert.lengthOf(mine, 2)
    assert.isTrue(mine.every((one) => one.isSigned && one.type === 'alert.began'))
    const { data } = JSON.parse(mine[0].body)
    assert.containsSubset(data, { severity: 'critical', words: 'It sinks.', key: 'pier' })
    const settings = await db.from('alert_settings').first()
    assert.deepInclude(settings, { webhook_worked: true, webhook_answer: '200: noted' })
    assert.notInclude(settings.webhook_secret, 'whsec_')
  })

  test('a webhook call fails after a day of retries', async ({ assert }) => {
    const call = { id: `alert-test-${randomUUID()}`, body: '{"type":"alert.test"}' }
    await queueAlertWebhookCall(call)
    const operation = await Operation.findByOrFail('subjectId', call.id)
    target.answerWith(503)
    const pauses: number[] = []
    for (let attempt = 1; attempt <= 13; attempt++) {
      await runSteps(operation.id)
      await operation.refresh()
      if (operation.status === 'running') pauses.push(operation.dueAt.diffNow('hours').hours)
    }
    target.answerWith(200)
    assert.lengthOf(pauses, 12)
    assert.closeTo(
      pauses.reduce((sum, pause) => sum + pause),
      23,
      1
    )
    assert.equal(operation.status, 'failed')
    assert.match(operation.error!, /Call the webhook failed: .*503: noted/)
    assert.lengthOf(
      target.calls.filter(({ id }) => id === call.id),
      13
    )
  })

  test('go to all administrators if no recipients are set', async ({ assert, cleanup }) => {
    const boss = await makeStaff('administrator')
    const gone = await makeStaff('administrator', { disabledAt: DateTime.utc() })
    const support = await makeStaff('support')
    await db.from('alert_settings').update({ recipients: null })
    cleanup(async () => void (await db.from('alert_settings').update({ recipients: [to] })))
    const { wrong, look, alert } = anAlert()
    wrong.push({ key: 'pier', severity: 'warning', words: 'Low.' })
    await look(minutes(0))
    const rows = await db.from('outbox_mails').whereLike('subject', `%${alert.label}`)
    const told = rows.map((mail) => mail.to as string)
    assert.include(told, boss.email)
    assert.notInclude(told, support.email)
    assert.notInclude(told, gone.email)
  })

  test('have different names and existing runbooks', async ({ assert }) => {
    const alerts = allAlertRules()
    assert.isAbove(alerts.length, 10)
    assert.lengthOf(new Set(alerts.map(({ name }) => name)), alerts.length)
    const missing = alerts.filter(
      ({ runbook }) => !existsSync(app.makePath(`docs/runbooks/${runbook}.md`))
    )
    assert.deepEqual(
      missing.map(({ name }) => name),
      []
    )
    // Each runbook must belong to an alert or be linked in the README.
    const known = new Set(['README', ...alerts.map(({ runbook }) => runbook)])
    for await (const file of glob('docs/runbooks/*.md', { cwd: app.makePath() })) {
      const text = await readFile(app.makePath('docs/runbooks/README.md'), 'utf8')
      const name = file.split('/').at(-1)!
      assert.isTrue(known.has(name.replace('.md', '')) || text.includes(name), file)
    }
  })

  test('alerts about stuck operations and failing schedules contain the error', async ({
    assert,
  }) => {
    const look = (name: string) =>
      allAlertRules()
        .find((one) => one.name === name)!
        .findProblems()
    const id = randomUUID()
    await db.table('operations').insert({
      id,
      kind: 'test.alert',
      title: 'Raising the wreck',
      status: 'stuck',
      lane: 'guest',
      subject_type: 'test',
      subject_id: id,
      input: {},
      memory: {},
      steps: '[]',
      trouble: 'It broke',
      created_at: new Date(),
    })
    const schedule = allModules()[0].schedules![0].name
    await db.rawQuery(
      `insert into schedules (name, machine_id, started_at, failures, error) values (?, null, now(), 4, 'No medium')
       on conflict (name, machine_id) do update set failures = 4, error = excluded.error`,
      [schedule]
    )
    try {
      const stuck = (await look('core.stuck')).find(({ key }) => key === id)
      assert.equal(stuck?.words, 'Raising the wreck: It broke')
      const failing = (await look('core.schedule')).find(({ key }) => key === schedule)
      assert.match(failing!.words, /failed 4 times in a row: No medium$/)
    } finally {
      await db.from('operations').where({ id }).delete()
      await db.from('schedules').where({ name: schedule }).delete()
    }
    await eventually(async () => assert.isArray(await look('core.connections')))
  })
})

test.group('Settings of alerts', () => {
  test('only administrators change them, and they see the webhook secret once', async ({
    assert,
    cleanup,
  }) => {
    await db.from('alert_settings').delete()
    cleanup(async () => void (await db.from('alert_settings').delete()))
    const path = '/admin/settings/alerts'
    const admin = await signIn(await makeStaff('administrator'))
    const support = await signIn(await makeStaff('support'))
    assert.equal((await support.post(`${path}/update`, {})).status, 403)
    const wrong = await admin.post(`${path}/update`, {
      recipients: ['nobody'],
      webhook_url: 'file:///etc/passwd',
    })
    assert.sameMembers(Object.keys(wrong.json.errors ?? {}), ['recipients.0', 'webhook_url'])
    assert.equal((await admin.post(`${path}/secret`, {})).status, 409)
    const settings = { recipients: ['watch@example.com'], webhook_url: 'https://example.com/in' }
    const saved = await admin.post(`${path}/update`, settings)
    const { secret } = saved.json.data as { secret: string }
    assert.match(secret, /^whsec_/)
    assert.isNull((await admin.post(`${path}/update`, settings)).json.data!.secret)
    const page = await support.page(path)
    assert.deepInclude((page.json.props as { settings: object }).settings, {
      recipients: settings.recipients,
      webhook_url: settings.webhook_url,
      has_secret: true,
    })
    assert.notInclude(page.text, secret)
    const renewed = await admin.post(`${path}/secret`, {})
    assert.notEqual(renewed.json.data!.secret, secret)
    assert.equal((await admin.post(`${path}/test`, {})).status, 200)
    const [test] = await db.from('outbox_mails').where('to', 'watch@example.com')
    assert.include(test.text, 'Nothing is wrong.')
  })
})
