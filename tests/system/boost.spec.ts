import { actorOf } from '#identity/public'
import { boostInstance } from '#instances/actions/boost_instance'
import { deleteInstance } from '#instances/actions/instance_lifecycle'
import { raiseLimits } from '#instances/containers/limits'
import { orderInstance } from '#instances/actions/order_instance'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import { watchdogContainerName } from '#hosts/installation_identity'
import { incusClientFor } from '#hosts/public_effects'
import { ServerInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import type { Actor } from '#core/contracts/actor'
import { runSteps } from '#core/operations/runner'
import type { Incus } from '#packages/incus/main'
import { eventually } from '#tests/support/eventually'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { failLeftoverOperations } from '#tests/support/worker'
import { spawnWorker, type WorkerProcess } from '#tests/support/worker_process'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'

const socket = process.env.INCUS_SOCKET

test.group('Build Mode on a real Incus', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  let restore: () => Promise<void>
  let incus: Incus
  let customer: Actor
  let instance: ServerInstance
  let worker: WorkerProcess | undefined

  group.setup(async () => {
    await failLeftoverOperations()
    restore = await disableOtherHosts()
    const { host } = await registerLocalHost()
    await host.merge({ status: 'active' }).save()
    incus = incusClientFor(host)
    customer = await actorOf(await makeCustomer())
  })
  group.each.setup(async () => {
    const { id } = await createSmallPackage('regular')
    const ordered = await orderInstance(customer, {
      name: uniqueName('build'),
      instanceType: 'regular',
      serverPackageId: id,
      billingPeriod: 'month',
    })
    await runSteps(ordered.operation.id)
    instance = await ordered.instance.refresh()
    return async () => {
      await worker?.kill()
      worker = undefined
      await runSteps((await deleteInstance(customer, instance.id)).id)
    }
  })
  group.teardown(() => restore())

  /** Returns the limits that Incus has recorded, and the CPUs and memory that programs inside the instance see. */
  async function limits() {
    const { config } = await incus.instances.get(instance.systemId!)
    const machine = await connectToActiveInstance(instance)
    const script = "nproc && awk '/MemTotal/ { print $2 * 1024 }' /proc/meminfo"
    const seen = await machine.exec(['sh', '-c', script], { timeout: 60_000 })
    const [cpu, memory] = seen.stdout.toString().trim().split('\n')
    return {
      recorded: [config['limits.cpu'], config['limits.memory']],
      seen: [cpu, `${memory}B`],
      until: config['user.berth.boost.until'] ?? '',
    }
  }
  const usual = ['1', `${256 * 1024 ** 2}B`]

  test('ends on time even if every process of Berth is dead', async ({ assert }) => {
    worker = spawnWorker()
    const watchdog = await watchdogContainerName()
    await eventually(async () => {
      assert.equal((await incus.instances.get(watchdog)).status, 'Running')
    })
    const before = Date.now()
    await boostInstance(customer, instance.id)
    const raised = await limits()
    assert.notDeepEqual(raised.recorded, usual)
    // Waits, because Incus assigns CPUs in the background after it has recorded the limit.
    await eventually(async () => {
      assert.deepEqual((await limits()).seen, raised.recorded)
    })
    const quarter = 15 * 60_000
    assert.isAtLeast(Number(raised.until), before + quarter)
    assert.isAtMost(Number(raised.until), Date.now() + quarter)

    await worker.kill()
    worker = undefined
    // Also kills the watchdog's program, and sets the end of the boost to now instead of waiting 15 minutes.
    await incus.instances.exec(watchdog, ['pkill', '-9', 'node'], { timeout: 60 })
    const config = { 'user.berth.boost.until': String(Date.now()) }
    await incus.instances.patch(instance.systemId!, { config })
    await eventually(async () => {
      assert.deepEqual(await limits(), { recorded: usual, seen: usual, until: '' })
    })
    await instance.refresh()
    assert.isNotNull(instance.boostedUntil, 'nobody but the watchdog lowered it')
  })

  test('ends as soon as a worker runs again, even without the watchdog', async ({ assert }) => {
    const watchdog = await watchdogContainerName()
    const stopped = incus.instances.setState(watchdog, 'stop', { force: true })
    await (await stopped).wait(300)
    const past = new Date(Date.now() - 1_000)
    const [to, back] = [
      { vcpu: 2, memory: 512 * 1024 ** 2 },
      { vcpu: 1, memory: 256 * 1024 ** 2 },
    ]
    await raiseLimits(incus, instance.systemId!, { to, back, until: past })
    await eventually(async () => {
      assert.deepEqual((await limits()).seen, ['2', `${512 * 1024 ** 2}B`])
    })
    await ServerInstance.query().where('id', instance.id).update({ boosted_until: past })
    worker = spawnWorker()
    await eventually(async () => {
      assert.deepEqual(await limits(), { recorded: usual, seen: usual, until: '' })
      assert.isNull((await instance.refresh()).boostedUntil)
    })
  })
})
