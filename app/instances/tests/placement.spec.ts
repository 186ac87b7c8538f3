import { actorOf } from '#identity/public'
import type ServerPackage from '#catalog/models/server_package'
import type { PackageListPage } from '#catalog/transformers/page_props'
import { AppError } from '#core/app_error'
import { checkHost } from '#hosts/check_host'
import { NO_HOST_MESSAGE } from '#hosts/errors'
import HostInstance from '#hosts/models/host_instance'
import {
  allocationLimits,
  listPackageCapacity,
  listSoldOutPackagesByHost,
} from '#hosts/queries/capacity'
import type { HostPage } from '#hosts/transformers/page_props'
import { type InstanceOrder, orderInstance } from '#instances/actions/order_instance'
import ServerInstance from '#instances/models/server_instance'
import { loadOrderOptions } from '#instances/queries/order_options'
import { sumAllocations } from '#instances/queries/allocations'
import type { FakeIncus } from '#packages/incus/fake'
import { createSmallPackage, uniqueName, startFakeHost } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { poolSizeFor } from '../../../cli/host/pool_size.js'

const BYTES_PER_GIB = 1024 ** 3

test.group('Choice of a host', (group) => {
  let host: HostInstance
  let fake: FakeIncus

  group.each.setup(async () => {
    const started = await startFakeHost({ alone: true })
    ;({ host, fake } = started)
    return started.stop
  })

  async function order(change: Partial<InstanceOrder> = {}) {
    const actor = await actorOf(await makeCustomer())
    const serverPackageId = change.serverPackageId ?? (await createSmallPackage('regular')).id
    const name = uniqueName('web')
    return orderInstance(actor, {
      name,
      instanceType: 'regular',
      billingPeriod: 'month',
      ...change,
      serverPackageId,
    })
  }

  test('of ten simultaneous orders, only as many succeed as fit', async ({ assert }) => {
    // Memory for three instances of 1 GiB, plus the memory that the host reserves.
    await host.merge({ memoryTotal: 3 * BYTES_PER_GIB + 512 * 1024 ** 2 }).save()
    const { id } = await createSmallPackage('regular', { memoryMb: 1024 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => order({ serverPackageId: id }))
    )
    const won = outcomes.filter(({ status }) => status === 'fulfilled')
    const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    assert.lengthOf(won, 3)
    for (const reason of lost) {
      assert.instanceOf(reason, AppError)
      assert.equal((reason as AppError).code, 'no_room')
    }
    const allocated = (await sumAllocations(host.id)).get(host.id)!
    assert.isAtMost(allocated.allocatedMemory, allocationLimits(host).memory)
    assert.equal(allocated.allocatedInstances, 3)
  })

  test('never allocates more disk than the host has', async ({ assert }) => {
    await host.merge({ diskTotal: 3 * BYTES_PER_GIB }).save()
    await order()
    await assert.rejects(() => order(), /No host has room/)
  })

  test('takes as many orders as the page shows room for, with and without disk overcommit', async ({
    assert,
  }) => {
    const ordered = await createSmallPackage('regular')
    const wanted = { serverPackageId: ordered.id }
    const room = async () => {
      await host.refresh()
      return (await listPackageCapacity(host)).find(({ name }) => name === ordered.name)?.more ?? 0
    }
    await host.merge({ diskTotal: 5 * BYTES_PER_GIB, diskUsed: BYTES_PER_GIB }).save()
    const single = await room()
    await host.merge({ diskOvercommit: 2.5 }).save()
    const places = await room()
    assert.isAbove(places, single)
    const outcomes = await Promise.allSettled(
      Array.from({ length: places + 3 }, () => order(wanted))
    )
    assert.lengthOf(
      outcomes.filter(({ status }) => status === 'fulfilled'),
      places
    )
    assert.equal(await room(), 0)
    await assert.rejects(() => order(wanted), /Sold out: not enough disk left/)
  })

  test('an overcommitted host accepts no orders while less than 10 % of its disk is free', async ({
    assert,
  }) => {
    const { id } = await createSmallPackage('regular')
    const diskTotal = 20 * BYTES_PER_GIB
    await host.merge({ diskTotal, diskUsed: 0.9 * diskTotal, diskOvercommit: 2 }).save()
    await assert.rejects(() => order({ serverPackageId: id }), /Sold out: not enough disk left/)
    await host.merge({ diskUsed: 0.8 * diskTotal }).save()
    await order({ serverPackageId: id })
    // Without overcommit, the usage cannot exceed what is allocated.
    await host.merge({ diskUsed: 0.95 * diskTotal, diskOvercommit: 1 }).save()
    await order({ serverPackageId: id })
  })

  test('a host that was not seen for a day gets no orders, and its page shows the reason', async ({
    assert,
  }) => {
    const staff = await signIn(await makeStaff('administrator'))
    const reason = async () => {
      const { json } = await staff.page(`/admin/host-instance/${host.id}`)
      return (json.props as unknown as HostPage).host.status_reason
    }
    await order()
    assert.isNull(await reason())
    await HostInstance.query()
      .where('id', host.id)
      .update({ seen_at: db.raw(`now() - interval '1 day'`) })
    await assert.rejects(() => order(), /No host accepts new instances right now/)
    const { canOrder } = await loadOrderOptions((await makeCustomer()).id)
    assert.deepEqual([canOrder.allowed, canOrder.reason], [false, NO_HOST_MESSAGE])
    assert.include(await reason(), 'The host gets no new instances.')
    assert.equal(await checkHost(await host.refresh()), 'active')
    await order()
    assert.isNull(await reason())
  })

  test('a host that joined a cluster gets no orders until it leaves', async ({ assert }) => {
    fake.state.isClustered = true
    assert.equal(await checkHost(host), 'active')
    await host.refresh()
    assert.include(host.statusReason, 'is a member of an Incus cluster')
    await assert.rejects(() => order(), /No host accepts new instances right now/)
    fake.state.isClustered = false
    await checkHost(host)
    await order()
    assert.isNull((await host.refresh()).statusReason)
  })

  test('the host page shows the parts of the allocated disk, and administrators can overcommit it', async ({
    assert,
  }) => {
    const { instance } = await order()
    await order()
    const staff = await signIn(await makeStaff('administrator'))
    const shown = async () => {
      const { json } = await staff.page(`/admin/host-instance/${host.id}`)
      return (json.props as unknown as HostPage).host
    }
    const { capacity, image_reserve: reserve } = await shown()
    assert.equal(reserve, 2 * instance.imageBytes)
    assert.equal(capacity.disk.allocated, 2 * instance.diskBytes)
    const save = (overcommit: unknown) =>
      staff.post('/admin/host-instance/update', {
        id: host.id,
        name: host.name,
        ip: host.ip,
        disk_overcommit: overcommit,
      })
    for (const wrong of [0.9, 4.1, 1.234, 'much'])
      assert.property((await save(wrong)).json.errors, 'disk_overcommit')
    assert.equal((await save(1.5)).status, 200)
    const { disk } = (await shown()).capacity
    assert.deepInclude(disk, { overcommit: 1.5, is_full: false })
    assert.equal(disk.limit, Math.floor(disk.total * 0.9 * 1.5))
  })

  test('a machine with 1 vCPU, 2 GB memory and 20 GB disk fits one regular and one shared package', async ({
    assert,
  }) => {
    // Free disk space of a small server after the operating system and Berth are installed.
    const free = 12 * BYTES_PER_GIB
    await host
      .merge({
        cpuTotal: 1,
        memoryTotal: Math.round(1.9 * BYTES_PER_GIB),
        diskTotal: poolSizeFor(free),
      })
      .save()
    const customer = await makeCustomer()
    for (const instanceType of ['regular', 'shared'] as const) {
      const { offers, canOrder } = await loadOrderOptions(customer.id)
      assert.isTrue(canOrder.allowed, canOrder.reason ?? '')
      // The first offer is the cheapest package, which the order form preselects.
      const [first] = offers.filter(
        ({ row }) => row.instanceType === instanceType && row.serverSeries === 'bronze'
      )
      assert.include(first.row.name, 'Mini')
      assert.isTrue(first.room.allowed, first.room.reason ?? '')
      const { instance } = await orderInstance(await actorOf(customer), {
        name: uniqueName('web'),
        instanceType,
        serverPackageId: first.row.id,
        billingPeriod: 'month',
      })
      assert.equal(instance.hostInstanceId, host.id)
    }
    const { offers } = await loadOrderOptions(customer.id)
    const { room } = offers.find(({ row }) => row.name === 'Bronze 4')!
    assert.match(room.reason!, /^Too large for the host: not enough processors, memory,? and disk/)
  })

  test('the pool uses half of a large disk, and more of a small one', ({ assert }) => {
    const sizes = [6, 8, 12, 14, 20, 100].map(
      (free) => poolSizeFor(free * BYTES_PER_GIB) / BYTES_PER_GIB
    )
    assert.deepEqual(sizes, [5, 5, 8, 10, 10, 50])
  })

  test('pages show before the order that a package is sold out', async ({ assert }) => {
    const customer = await makeCustomer()
    const fits = await createSmallPackage('shared')
    const tooMuch = await createSmallPackage('shared', { memoryMb: 4096 })
    await host.merge({ memoryTotal: 2 * BYTES_PER_GIB }).save()
    const { offers } = await loadOrderOptions(customer.id)
    const roomFor = (id: number) => offers.find(({ row }) => row.id === id)!.room
    assert.isTrue(roomFor(fits.id).allowed)
    assert.match(roomFor(tooMuch.id).reason!, /not enough memory/)
    const soldOut = (await listSoldOutPackagesByHost([host])).get(host.id)!
    const line = soldOut.find(({ packages }) => packages.includes(tooMuch.name))
    assert.equal(line?.reason, roomFor(tooMuch.id).reason)
    const wanted = { instanceType: 'shared', serverPackageId: tooMuch.id } as const
    await assert.rejects(() => order(wanted), /not enough memory.*Nothing was changed/)

    await host.merge({ memoryTotal: 256 * 1024 ** 2 }).save()
    assert.match(
      (await loadOrderOptions(customer.id)).canOrder.reason!,
      /Every package is sold out/
    )
  })

  test('staff see the number of instances and the free capacity of each package', async ({
    assert,
  }) => {
    const { id: accountId } = await makeCustomer()
    const sold = await createSmallPackage('shared')
    const tooLarge = await createSmallPackage('shared', { memoryMb: 64 * 1024 ** 2 })
    const common = {
      accountId,
      serverPackageId: sold.id,
      instanceType: 'shared',
      ports: {},
    } as const
    for (const status of ['active', 'stopped', 'deleted'] as const) {
      await ServerInstance.create({
        ...common,
        name: uniqueName('web'),
        status,
        billingPeriod: 'month',
      })
    }
    const staff = await signIn(await makeStaff('administrator'))
    const shown = async ({ name }: ServerPackage) => {
      const { json } = await staff.page(`/admin/server-package/list?search=${name}`)
      return (json.props as unknown as PackageListPage).packages[0]
    }
    assert.equal((await shown(sold)).instances, 2)
    assert.equal((await shown(tooLarge)).instances, 0)
    assert.isFalse((await shown(tooLarge)).room.allowed)
  })

  test('a package without a price for a period cannot be ordered for it', async ({ assert }) => {
    const monthly = await createSmallPackage('regular')
    await monthly.merge({ pricing: monthly.pricing.slice(0, 1) }).save()
    const yearly = { serverPackageId: monthly.id, billingPeriod: 'year' } as const
    await assert.rejects(() => order(yearly), /has no yearly price/)
  })

  test('an order without an active host is rejected with the reason', async ({ assert }) => {
    await host.merge({ status: 'maintenance' }).save()
    await assert.rejects(() => order(), /No host accepts new instances/)
  })

  test('a name is unique per customer, also with simultaneous orders', async ({ assert }) => {
    const actor = await actorOf(await makeCustomer())
    const { id } = await createSmallPackage('shared')
    const name = uniqueName('same')
    const wanted = { name, instanceType: 'shared', billingPeriod: 'year' } as const
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => orderInstance(actor, { ...wanted, serverPackageId: id }))
    )
    assert.lengthOf(
      outcomes.filter(({ status }) => status === 'fulfilled'),
      1
    )
    for (const one of outcomes) {
      if (one.status === 'rejected') assert.property((one.reason as AppError).errors, 'name')
    }
    const other = await actorOf(await makeCustomer())
    await orderInstance(other, { ...wanted, serverPackageId: id })
  })

  test('a package of the other type, or no longer offered, is rejected', async ({ assert }) => {
    const shared = await createSmallPackage('shared')
    await assert.rejects(() => order({ serverPackageId: shared.id }), /not offered/)
    const old = await createSmallPackage('regular')
    await old.merge({ offered: false }).save()
    await assert.rejects(() => order({ serverPackageId: old.id }), /not offered/)
  })

  test('a customer can have at most fifty instances', async ({ assert }) => {
    const actor = await actorOf(await makeCustomer())
    const { id } = await createSmallPackage('regular')
    await ServerInstance.createMany(
      Array.from({ length: 50 }, (_, index) => ({
        accountId: actor.id,
        serverPackageId: id,
        name: `full-${index}`,
        instanceType: 'regular' as const,
        status: 'stopped' as const,
        billingPeriod: 'month' as const,
        ports: {},
      }))
    )
    const wanted = { name: 'one-more', instanceType: 'regular', billingPeriod: 'month' } as const
    await assert.rejects(
      () => orderInstance(actor, { ...wanted, serverPackageId: id }),
      /50 instances/
    )
  })
})
