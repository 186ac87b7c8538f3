import { actorOf } from '#identity/public'
import { deleteInstance, retryProvisioning } from '#instances/actions/instance_lifecycle'
import { orderInstance } from '#instances/actions/order_instance'
import { BASE_IMAGE } from '#hosts/base_image'
import type { HostInstance } from '#hosts/public'
import type { ServerInstance } from '#instances/public'
import type { Actor } from '#core/contracts/actor'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { Incus } from '#packages/incus/main'
import {
  createHost,
  retireHosts,
  createSmallPackage,
  uniqueName,
  disableOtherHosts,
} from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { type SecondIncus, startSecondIncus } from '#tests/support/second_incus'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'

const socket = process.env.INCUS_SOCKET
const BYTES_PER_MIB = 1024 ** 2

test.group('A real Incus without free disk space or addresses', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  const stops: (() => Promise<unknown>)[] = []
  let small: SecondIncus
  let host: HostInstance
  let customer: Actor

  group.setup(async () => {
    stops.push(await disableOtherHosts())
    // This host has a pool that is smaller than the image needs, and a subnet with one free address.
    small = await startSecondIncus({ poolSize: 400 * BYTES_PER_MIB, prefix: 30 })
    stops.push(() => small.stop())
    const first = Incus.local(socket)
    const image = (await first.images.byAlias(BASE_IMAGE))!
    await (await first.images.sendTo(small.incus.images, image)).wait(900)
    await first.close()
    await small.incus.images.setAlias(BASE_IMAGE, image.fingerprint)
    // The row has a larger disk than the pool, as if something had filled the disk since Berth measured it.
    host = await createHost(small.socket, { diskTotal: 100 * 1024 * BYTES_PER_MIB })
    stops.push(() => retireHosts(host))
    customer = await actorOf(await makeCustomer())
  })
  group.teardown(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  async function order() {
    const { id } = await createSmallPackage('regular')
    return orderInstance(customer, {
      name: uniqueName('tight'),
      instanceType: 'regular',
      serverPackageId: id,
      billingPeriod: 'month',
    })
  }

  async function ended({ id }: Operation) {
    await runSteps(id)
    return Operation.findOrFail(id)
  }

  const containers = async () => (await small.incus.instances.list()).map(({ name }) => name)
  const leases = ({ id }: ServerInstance) =>
    db.from('port_leases').where('server_instance_id', id).select('port')

  test('an order fails with the reason, leaves nothing behind, and succeeds when it is retried after space was added', async ({
    assert,
  }) => {
    const { instance: first, operation } = await order()
    const failed = await ended(operation)
    assert.equal(failed.status, 'failed')
    assert.equal(
      failed.error,
      'The disk of the host is full. Nothing was created. Try again later or ask support.'
    )
    await first.refresh()
    assert.equal(first.status, 'failed')
    assert.equal(first.statusReason, failed.error)
    assert.deepEqual(await containers(), [])
    assert.lengthOf(await leases(first), 0)

    await small.incus.storagePools.patch(host.storagePool!, {
      config: { size: `${6 * 1024 * BYTES_PER_MIB}B` },
    })
    const again = await ended(await retryProvisioning(customer, first.id))
    assert.equal(again.status, 'done', again.error ?? '')
    assert.deepEqual(await containers(), [(await first.refresh()).systemId!])

    const { instance: second, operation: next } = await order()
    const refused = await ended(next)
    assert.equal(
      refused.error,
      'This host has no free IP address left for another instance. Ask support.'
    )
    await second.refresh()
    assert.equal(second.status, 'failed')
    assert.isNull(second.privateIp)
    assert.deepEqual(await containers(), [first.systemId!])
    assert.lengthOf(await leases(second), 0)

    // Deleting the first instance frees its address.
    assert.equal((await ended(await deleteInstance(customer, first.id))).status, 'done')
    const now = await ended(await retryProvisioning(customer, second.id))
    assert.equal(now.status, 'done', now.error ?? '')
    await second.refresh()
    assert.equal(second.privateIp, first.privateIp)
    assert.equal((await ended(await deleteInstance(customer, second.id))).status, 'done')
    assert.deepEqual(await containers(), [])
  })
})
