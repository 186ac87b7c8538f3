import { actorOf } from '#identity/public'
import { deleteInstance } from '#instances/actions/instance_lifecycle'
import { orderInstance } from '#instances/actions/order_instance'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import { HostInstance } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import { ServerInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import type { Actor } from '#core/contracts/actor'
import Operation from '#core/models/operation'
import { CuttingProxy } from '#tests/support/cutting_proxy'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { failLeftoverOperations } from '#tests/support/worker'
import { spawnWorker, type WorkerProcess } from '#tests/support/worker_process'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const socket = process.env.INCUS_SOCKET
/**
 * The first worker is killed at its first message to Incus. Each later worker may send this number of messages more
 * than the worker before it.
 */
const MESSAGES_PER_LIFE = 5
const MAX_LIVES = 60

test.group('Workers that are killed repeatedly', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  let cut: CuttingProxy
  let host: HostInstance
  let customer: Actor
  let restore: () => Promise<void>
  let worker: WorkerProcess | undefined

  group.setup(async () => {
    restore = await disableOtherHosts()
    await failLeftoverOperations()
    cut = await CuttingProxy.before(socket)
    host = (await registerLocalHost()).host
    await host.merge({ status: 'active' }).save()
    customer = await actorOf(await makeCustomer())
  })
  group.teardown(async () => {
    await worker?.kill()
    await cut.stop()
    await restore()
  })

  /**
   * Runs an operation with real worker processes, and kills one after another. Returns the number of workers that were
   * killed before the operation was done.
   */
  async function outlive({ id }: Operation): Promise<number> {
    for (let life = 0; life < MAX_LIVES; life++) {
      const own = spawnWorker({ change: { INCUS_SOCKET: cut.socketPath } })
      worker = own
      cut.after(life * MESSAGES_PER_LIFE, life % 2 ? 'answer' : 'request', () => void own.kill())
      for (;;) {
        const { status, error } = await Operation.findOrFail(id)
        if (status === 'failed') throw new Error(String(error))
        if (status === 'done') {
          cut.never()
          await own.kill()
          return life
        }
        if (!own.alive()) break
        await sleep(50)
      }
    }
    throw new Error(`Not done after ${MAX_LIVES} lives`)
  }

  test('leave one instance after an order, and none after a deletion', async ({ assert }) => {
    const { id: serverPackageId } = await createSmallPackage('regular')
    const { instance, operation } = await orderInstance(customer, {
      name: uniqueName('kill'),
      instanceType: 'regular',
      serverPackageId,
      billingPeriod: 'month',
    })
    const incus = incusClientFor(host)
    const ours = async () => {
      const there = await incus.instances.list()
      const { systemId } = await ServerInstance.findOrFail(instance.id)
      return there.filter(({ name, description }) =>
        [name === systemId, description === `Berth instance ${instance.id}`].includes(true)
      )
    }
    const leases = () => db.from('port_leases').where('server_instance_id', instance.id)

    assert.isAbove(await outlive(operation), 3)
    await instance.refresh()
    assert.equal(instance.status, 'active')
    assert.lengthOf(await ours(), 1)
    assert.lengthOf(await leases(), 1)
    const { stdout } = await (
      await connectToActiveInstance(instance)
    ).exec(['hostname'], { timeout: 60_000 })
    assert.equal(String(stdout).trim(), instance.name)

    assert.isAbove(await outlive(await deleteInstance(customer, instance.id)), 1)
    assert.equal((await instance.refresh()).status, 'deleted')
    assert.lengthOf(await ours(), 0)
    assert.lengthOf(await leases(), 0)
  }).timeout(1_800_000)
})
