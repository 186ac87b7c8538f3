import Operation from '#core/models/operation'
import { traceQueries } from '#core/monitoring/trace_queries'
import type { SystemPage } from '#core/page_props'
import { startTracing } from '#packages/telemetry/tracing'
import { eventually } from '#tests/support/eventually'
import { startFakeHost } from '#tests/support/hosts'
import { startOtlpReceiver } from '#tests/support/otlp_receiver'
import { makeStaff, signIn } from '#tests/support/people'
import { failLeftoverOperations } from '#tests/support/worker'
import { spawnWorker } from '#tests/support/worker_process'
import { test } from '@japa/runner'

const ENDPOINT_VARIABLE = 'OTEL_EXPORTER_OTLP_ENDPOINT'

test.group('The number of a request', () => {
  test('leads from its answer to the work that it began, the log of the worker, and the trace of both', async ({
    assert,
    cleanup,
  }) => {
    const collector = await startOtlpReceiver()
    cleanup(async () => void (await collector.stop()))
    process.env[ENDPOINT_VARIABLE] = collector.url
    const stopTracing = await startTracing({
      service: 'berth-web',
      version: '1',
      endpoint: collector.url,
    })
    traceQueries()
    cleanup(async () => {
      await stopTracing()
      delete process.env[ENDPOINT_VARIABLE]
    })
    const { host, stop } = await startFakeHost({ change: { clientKey: 'a key' } })
    cleanup(stop)
    await failLeftoverOperations()

    const admin = await signIn(await makeStaff('administrator'))
    const deleted = { id: host.id, name: host.name, typed_name: host.name }
    const answer = await admin.post('/admin/host-instance/delete', deleted)
    assert.equal(answer.status, 200, answer.text)
    const number = answer.headers.get('x-request-id')!
    assert.match(number, /^[0-9a-f]{32}$/)

    // Staff can search the System page for this request id to find the operation.
    const found = await admin.page(`/admin/system?tab=work&search=${number}`)
    const { rows } = found.json.props as unknown as Extract<SystemPage, { tab: 'work' }>
    assert.deepEqual(
      rows.map(({ title, request_id: request }) => [title, request]),
      [[`Removing Berth from ${host.name}`, number]]
    )

    const lines: string[] = []
    const worker = spawnWorker({
      change: {
        [ENDPOINT_VARIABLE]: collector.url,
        OTEL_BSP_SCHEDULE_DELAY: '200',
        LOG_LEVEL: 'info',
      },
      onLine: (line) => lines.push(line),
    })
    cleanup(() => worker.kill())
    const [{ id }] = rows
    await eventually(async () => assert.equal((await Operation.findOrFail(id)).status, 'done'))
    await eventually(() => {
      const mine = lines.filter((line) => line.includes('"operation done"'))
      assert.lengthOf(mine, 1)
      const done = { requestId: number, operation: id, name: 'berth-worker' }
      assert.containsSubset(JSON.parse(mine[0]), done)
    })
    await eventually(() => {
      const trace = collector.spans.filter(({ traceId }) => traceId === number)
      const named = (name: string) => trace.find((span) => span.name === name)
      const request = named('POST /admin/host-instance/delete')
      const work = named('operation host.leave')
      const step = named('step forget')
      assert.equal(request?.service, 'berth-web')
      assert.equal(request?.attributes['http.response.status_code'], 200)
      assert.equal(work?.service, 'berth-worker')
      assert.equal(work?.attributes['berth.operation.id'], id)
      assert.equal(work?.parentSpanId, request?.spanId)
      assert.equal(step?.parentSpanId, work?.spanId)
      const below = (parent: string) =>
        trace.filter(({ name, parentSpanId }) => parentSpanId === parent && name === 'update')
      assert.isNotEmpty(below(step!.spanId))
      assert.isNotEmpty(below(request!.spanId))
    })
  })

  test('is ours, whatever a caller calls its request, and stands on the page of an error', async ({
    assert,
  }) => {
    const base = `http://127.0.0.1:${process.env.PORT}`
    const answer = await fetch(`${base}/login`, { headers: { 'x-request-id': 'theirs\u00e9' } })
    assert.match(answer.headers.get('x-request-id')!, /^[0-9a-f]{32}$/)
    const other = await fetch(`${base}/health`)
    assert.notEqual(other.headers.get('x-request-id'), answer.headers.get('x-request-id'))
  })
})
