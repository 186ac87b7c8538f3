import { alerts } from '#hosts/monitoring'
import { checkHost } from '#hosts/check_host'
import { chooseHost } from '#hosts/choose_host'
import { assertLimitsApply } from '#hosts/resource_limits'
import HostInstance from '#hosts/models/host_instance'
import { isContainmentTestDue, testAndSaveContainment } from '#hosts/schedules/test_containment'
import type { FakeIncus } from '#packages/incus/fake'
import { Incus, type ServerWarning } from '#packages/incus/main'
import { startFakeHost } from '#tests/support/hosts'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const ALLOCATION = { vcpu: 1, memory: 1024 ** 2, disk: 1024 ** 2 }

/** Warnings that Incus 6.0.4 reported on a machine whose cgroups (version 2) have no controllers. */
const WARNINGS: ServerWarning[] = [
  ["Couldn't find the CGroup pids controller", 'process limits will be ignored'],
  ["Couldn't find the CGroup memory swap accounting", 'swap limits will be ignored'],
  ["Couldn't find the CGroup CPU controller", 'CPU pinning will be ignored'],
  ["Couldn't find the CGroup CPUacct controller", 'CPU accounting will not be available'],
  ["Couldn't find the CGroup memory controller", 'memory limits will be ignored'],
  ['AppArmor support has been disabled', 'Disabled because of lack of kernel support'],
].map(([type, message]) => ({ status: 'new', type, last_message: message }))

test.group('Limits of instances on a host', (group) => {
  let fake: FakeIncus
  let host: HostInstance

  group.each.setup(async () => {
    const started = await startFakeHost({ alone: true })
    ;({ fake, host } = started)
    return started.stop
  })

  const order = () => db.transaction((trx) => chooseHost(ALLOCATION, trx))

  async function check() {
    await checkHost(await host.refresh())
    return host.refresh()
  }

  async function problem() {
    const alert = alerts.find(({ name }) => name === 'hosts.away')!
    return (await alert.findProblems()).find(({ key }) => key === String(host.id))?.words
  }

  test('a host whose Incus ignores limits gets no orders, and staff learn why', async ({
    assert,
  }) => {
    await check()
    await order()
    fake.state.warnings = WARNINGS
    const longAgo = DateTime.utc().minus({ days: 1 })
    await HostInstance.query().where('id', host.id).update({ seen_at: longAgo.toSQL() })
    const { status, statusReason } = await check()
    assert.isTrue(host.respondsThoughOffline)
    assert.isAbove(host.seenAt!.toMillis(), longAgo.toMillis())
    assert.equal(status, 'offline')
    assert.include(statusReason, 'starts instances without limits')
    assert.include(statusReason, 'cgroup controllers are missing: cpu, memory, pids. Mount them')
    assert.equal(await problem(), `${host.name} is offline: ${statusReason}`)
    await assert.rejects(order, /No host accepts new instances right now/)

    fake.state.warnings = WARNINGS.map((warning) => ({ ...warning, status: 'resolved' }))
    assert.equal((await check()).status, 'active')
    assert.isUndefined(await problem())
    await order()
  })

  test('a warning counts even if staff acknowledged it, and warnings about other features do not count', async ({
    assert,
  }) => {
    const incus = Incus.local(fake.socketPath)
    const assertWith = async (warnings: ServerWarning[]) => {
      fake.state.warnings = warnings
      return assertLimitsApply(incus)
    }
    try {
      const [pids, swap, , accounting, , appArmor] = WARNINGS
      await assertWith([swap, accounting, appArmor])
      await assert.rejects(
        () => assertWith([{ ...pids, status: 'acknowledged' }]),
        /controllers are missing: pids\./
      )
    } finally {
      await incus.close()
    }
  })

  test('a host whose self-test exceeded limits is offline until the test passes', async ({
    assert,
  }) => {
    const at = new Date().toISOString()
    const save = async (evidence: string) => {
      const broken = [{ boundary: 'Resource limits', evidence }]
      await host.merge({ containment: { at, broken, error: null } }).save()
    }
    await save('the attempt did not finish: timeout')
    assert.equal((await check()).status, 'active')

    await save('512 additional processes')
    const { status, statusReason } = await check()
    assert.equal(status, 'offline')
    assert.include(statusReason, 'exceeded its limits: 512 additional processes.')
    await assert.rejects(order, /No host accepts new instances right now/)
    const createdAt = DateTime.utc().minus({ days: 1 })
    const { containment } = host
    assert.isTrue(isContainmentTestDue({ containment, createdAt }, DateTime.utc()))

    // Without the base image, the test cannot run.
    fake.state.aliases.clear()
    await testAndSaveContainment(host)
    await host.refresh()
    assert.isNotNull(host.containment!.error)
    assert.equal((await check()).status, 'offline')

    await host.merge({ containment: { at, broken: [], error: null } }).save()
    assert.equal((await check()).status, 'active')
  })
})
