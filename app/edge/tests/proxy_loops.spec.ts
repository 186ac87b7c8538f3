import Domain from '#edge/models/domain'
import { recordProxyLoops } from '#edge/proxy_loops'
import { domainViews } from '#edge/public'
import { ServerInstance } from '#instances/public'
import { createSmallPackage, uniqueName } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test.group('Proxy loops', () => {
  test('the owner sees the last loop for a day, and the domain row is written at most once a minute', async ({
    assert,
    cleanup,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-loops-'))
    cleanup(() => rm(folder, { recursive: true, force: true }))
    const proxyLoopLog = join(folder, 'proxy_loops.log')
    const customer = await makeCustomer()
    const { id: serverPackageId } = await createSmallPackage('shared')
    const instance = await ServerInstance.create({
      accountId: customer.id,
      serverPackageId,
      instanceType: 'shared',
      name: uniqueName('web'),
      status: 'active',
      billingPeriod: 'month',
      ports: {},
    })
    const subdomain = `${randomUUID().slice(0, 8)}.example.com`
    const domain = await Domain.create({
      serverInstanceId: instance.id,
      accountId: customer.id,
      subdomain,
      status: 'active',
      provenBy: 'address',
      provenAt: DateTime.utc(),
      checkAt: DateTime.utc().plus({ days: 1 }),
    })
    const note = (at: DateTime, status = 508) => {
      const host = `${subdomain.toUpperCase()}:80`
      return appendFile(
        proxyLoopLog,
        `${JSON.stringify({ ts: at.toSeconds(), status, request: { host } })}\n`
      )
    }
    const shown = async () => {
      await domain.refresh()
      const [view] = await domainViews([domain])
      return view.proxy_loop_at && Date.parse(view.proxy_loop_at)
    }
    const now = DateTime.utc().startOf('second')
    const record = (seconds: number) =>
      recordProxyLoops({ proxyLoopLog }, now.plus({ seconds }).toMillis())

    await note(now.minus({ seconds: 30 }))
    // The log also contains this response to a certificate authority's challenge, which is no loop.
    await note(now.minus({ seconds: 10 }), 200)
    // Simulates a line that Caddy has not finished writing.
    await appendFile(proxyLoopLog, '{"ts":')
    await record(0)
    assert.equal(await shown(), now.minus({ seconds: 30 }).toMillis())
    await appendFile(proxyLoopLog, '\n')
    await note(now)
    await record(59)
    assert.equal(await shown(), now.minus({ seconds: 30 }).toMillis())
    await record(60)
    assert.equal(await shown(), now.toMillis())

    await domain.merge({ keepsHttp: true }).save()
    assert.isNull(await shown())
    await domain.merge({ keepsHttp: false, proxyLoopAt: now.minus({ days: 1, seconds: 1 }) }).save()
    assert.isNull(await shown())
  })
})
