import { AppError } from '#core/app_error'
import { runSteps } from '#core/operations/runner'
import HostInstance from '#hosts/models/host_instance'
import { chooseHost } from '#hosts/choose_host'
import { allocationLimits } from '#hosts/queries/capacity'
import { deleteInstance, resizeInstance } from '#instances/actions/instance_lifecycle'
import { orderInstance } from '#instances/actions/order_instance'
import ServerInstance from '#instances/models/server_instance'
import { findAllocationMismatch, sumAllocations } from '#instances/queries/allocations'
import { listResizeOffers } from '#instances/queries/order_options'
import { reconcileAllocations } from '#instances/schedules/reconcile_allocations'
import { FakeIncus } from '#packages/incus/fake'
import { eventually } from '#tests/support/eventually'
import { FakeSshServers } from '#tests/support/fake_ssh_servers'
import {
  createFakeHost,
  retireHosts,
  createSmallPackage,
  uniqueName,
  disableOtherHosts,
} from '#tests/support/hosts'
import { actorOf, makeCustomer, makeStaff } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

const BYTES_PER_GIB = 1024 ** 3
const RESERVED_BYTES = 512 * 1024 ** 2

test.group('Allocation on hosts', (group) => {
  let fake: FakeIncus
  let machines: FakeSshServers
  let hosts: HostInstance[]
  let restore: () => Promise<void>

  group.each.setup(async () => {
    restore = await disableOtherHosts()
    fake = await FakeIncus.start()
    machines = new FakeSshServers(fake)
    hosts = [await createFakeHost(fake), await createFakeHost(fake), await createFakeHost(fake)]
    return async () => {
      await retireHosts(...hosts)
      await machines.stop()
      await fake.stop()
      await restore()
    }
  })

  async function order(serverPackageId: number, type: 'regular' | 'shared' = 'regular') {
    const actor = await actorOf(await makeCustomer())
    const wanted = { instanceType: type, billingPeriod: 'month', serverPackageId } as const
    return { actor, ...(await orderInstance(actor, { name: uniqueName('web'), ...wanted })) }
  }

  async function assertCounted(assert: { isNull(value: unknown, words?: string): void }) {
    for (const { id } of hosts) {
      const host = await HostInstance.findOrFail(id)
      const found = findAllocationMismatch(host, await sumAllocations(id))
      assert.isNull(found, JSON.stringify(found))
    }
  }

  test('the lock of a full host is released before the next host is tried', async ({
    assert,
    cleanup,
  }) => {
    const [full, roomy] = hosts
    await full
      .merge({ memoryTotal: 4 * BYTES_PER_GIB + RESERVED_BYTES, diskTotal: 1_000 * BYTES_PER_GIB })
      .save()
    await roomy
      .merge({ memoryTotal: 3 * BYTES_PER_GIB + RESERVED_BYTES, diskTotal: 1_000 * BYTES_PER_GIB })
      .save()
    await hosts[2].merge({ status: 'maintenance' }).save()
    const both = [full.id, roomy.id]
    const other = await db.transaction()
    cleanup(async () => void (other.isCompleted || (await other.rollback())))
    await other.from('host_instances').whereIn('id', both).forUpdate()
    await other
      .from('host_instances')
      .where('id', full.id)
      .update({ promised_memory: 4 * BYTES_PER_GIB })
    const order = db.transaction(async (trx) => {
      const host = await chooseHost({ vcpu: 1, memory: BYTES_PER_GIB, disk: BYTES_PER_GIB }, trx)
      const free = await db.from('host_instances').whereIn('id', both).forUpdate().skipLocked()
      return { chosen: host.id, free: free.map(({ id }) => Number(id)) }
    })
    // Waits until the order waits for the lock of the first host. When the order gets the lock, that host has no
    // capacity left.
    await eventually(async () => {
      const { rows } = await db.rawQuery(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%host_instances%'`
      )
      assert.isNotEmpty(rows)
    })
    await other.commit()
    assert.deepEqual(await order, { chosen: roomy.id, free: [full.id] })
  })

  test('forty simultaneous orders on three hosts allocate all capacity, and none of it twice', async ({
    assert,
  }) => {
    for (const [index, places] of [4, 3, 2].entries()) {
      const more = { cpuTotal: 64, diskTotal: 1_000 * BYTES_PER_GIB }
      await hosts[index]
        .merge({ memoryTotal: places * BYTES_PER_GIB + RESERVED_BYTES, ...more })
        .save()
    }
    const { id } = await createSmallPackage('regular', { memoryMb: 1024 })
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => order(id)))
    const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    assert.lengthOf(lost, 31)
    for (const reason of lost) assert.equal((reason as AppError).code, 'no_room', String(reason))
    const now = await HostInstance.query()
      .whereIn(
        'id',
        hosts.map((host) => host.id)
      )
      .orderBy('id')
    assert.deepEqual(
      now.map(({ allocatedInstances }) => allocatedInstances),
      [4, 3, 2]
    )
    for (const host of now) assert.isAtMost(host.allocatedMemory, allocationLimits(host).memory)
    await assertCounted(assert)
  })

  test('the host with the most free capacity is chosen first, and only one order locks it', async ({
    assert,
  }) => {
    for (const [index, memory] of [6, 10, 8].entries()) {
      await hosts[index].merge({ memoryTotal: memory * BYTES_PER_GIB }).save()
    }
    const allocation = { vcpu: 1, memory: BYTES_PER_GIB, disk: 3 * BYTES_PER_GIB }
    const names = await db.transaction(async (first) => {
      const chosen = [await chooseHost(allocation, first)]
      // These two orders do not wait for the lock of the first order's host, but choose other hosts.
      await db.transaction(async (second) => {
        chosen.push(await chooseHost(allocation, second))
        await db.transaction(async (third) => void chosen.push(await chooseHost(allocation, third)))
      })
      return chosen.map(({ name }) => name)
    })
    assert.deepEqual(names, [hosts[1].name, hosts[2].name, hosts[0].name])
  })

  test("orders, resizes, ports and deletions update the counters in the host's row", async ({
    assert,
  }) => {
    const small = await createSmallPackage('regular')
    const large = await createSmallPackage('regular', { vcpu: 2, memoryMb: 512, diskGb: 2 })
    const { actor, instance, operation } = await order(small.id)
    await assertCounted(assert)
    await runSteps(operation.id)
    const host = await HostInstance.findOrFail(instance.hostInstanceId)
    assert.equal(host.allocatedInstances, 1)
    assert.equal(host.leasedPorts, 1)
    const resized = await resizeInstance(await makeStaffActor(), instance.id, {
      serverPackageId: large.id,
    })
    await assertCounted(assert)
    await runSteps(resized.id)
    await host.refresh()
    assert.deepEqual([host.allocatedVcpu, host.allocatedMemory], [2, 512 * 1024 ** 2])
    // Simulates an order that moved to another host because its host went offline before the
    // container was created.
    const { instance: moved } = await order(small.id)
    const target = hosts.find(({ id }) => id !== moved.hostInstanceId)!
    await ServerInstance.query().where('id', moved.id).update({ host_instance_id: target.id })
    await assertCounted(assert)
    await runSteps((await deleteInstance(actor, instance.id)).id)
    await host.refresh()
    assert.equal(host.leasedPorts, 0)
    await assertCounted(assert)
  })

  test('an old instance keeps its image reserve in each resize that does not shrink its disk', async ({
    assert,
  }) => {
    const [small, more, large] = [
      await createSmallPackage('regular'),
      await createSmallPackage('regular', { memoryMb: 512 }),
      await createSmallPackage('regular', { diskGb: 2 }),
    ]
    const { instance, operation } = await order(small.id)
    await runSteps(operation.id)
    const earlier = { disk_bytes: 3 * BYTES_PER_GIB, image_bytes: 2 * BYTES_PER_GIB }
    await ServerInstance.query().where('id', instance.id).update(earlier)
    const staff = await makeStaffActor()
    const resize = async (serverPackageId: number) => {
      await runSteps((await resizeInstance(staff, instance.id, { serverPackageId })).id)
      const { diskBytes, imageBytes } = await instance.refresh()
      return [diskBytes / BYTES_PER_GIB, imageBytes / BYTES_PER_GIB]
    }
    assert.deepEqual(await resize(more.id), [3, 2])
    // The host has room for the larger package with the image reserve of new instances (768 MiB), but not with this
    // instance's reserve of 2 GiB.
    const host = await HostInstance.findOrFail(instance.hostInstanceId)
    const { diskTotal } = host
    await host.merge({ diskTotal: 4 * BYTES_PER_GIB }).save()
    await instance.load('host')
    const [{ room }] = await listResizeOffers(instance, [large])
    assert.isFalse(room.allowed)
    await assert.rejects(() => resize(large.id), /has no room for this package/)
    await host.merge({ diskTotal }).save()
    assert.deepEqual(await resize(large.id), [4, 2])
    assert.deepEqual(await resize(small.id), [1.75, 0.75])
    await assertCounted(assert)
  })

  test('a wrong counter is corrected and reported to staff', async ({ assert }) => {
    const { instance } = await order((await createSmallPackage('shared')).id, 'shared')
    const host = await HostInstance.findOrFail(instance.hostInstanceId)
    const right = { instances: host.allocatedInstances, memory: host.allocatedMemory }
    await host.merge({ allocatedInstances: 7, allocatedMemory: 0 }).save()
    await reconcileAllocations()
    await host.refresh()
    assert.deepEqual({ instances: host.allocatedInstances, memory: host.allocatedMemory }, right)
    const told = () =>
      db
        .from('audit_entries')
        .where({ action: 'host.promises_corrected', subject_id: String(host.id) })
        .select('before', 'after')
    const [{ before, after }] = await told()
    assert.deepEqual([before.allocatedInstances, after.allocatedInstances], [7, right.instances])
    await reconcileAllocations()
    assert.lengthOf(await told(), 1)
  })
})

async function makeStaffActor() {
  return actorOf(await makeStaff('administrator'))
}
