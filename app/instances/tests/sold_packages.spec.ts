import PackageVersion from '#catalog/models/package_version'
import type ServerPackage from '#catalog/models/server_package'
import type { PackageListPage } from '#catalog/transformers/page_props'
import Subscription from '#catalog/models/subscription'
import { renewSubscriptions } from '#catalog/schedules/renew_subscriptions'
import { nextRenewal } from '#catalog/next_renewal'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { dollarsToTaka } from '#core/money'
import { runSteps } from '#core/operations/runner'
import type Person from '#identity/models/person'
import HostInstance from '#hosts/models/host_instance'
import { deleteInstance, resizeInstance } from '#instances/actions/instance_lifecycle'
import { type InstanceOrder, orderInstance } from '#instances/actions/order_instance'
import ServerInstance from '#instances/models/server_instance'
import type {
  AdminInstancePage,
  InstanceListPage,
  InstancePage,
} from '#instances/transformers/page_props'
import { eventually } from '#tests/support/eventually'
import { createSmallPackage, uniqueName, startFakeHost } from '#tests/support/hosts'
import { actorOf, makeCustomer, makeStaff, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const BYTES_PER_GIB = 1024 ** 3

test.group('Sold packages', (group) => {
  let host: HostInstance
  let owner: Person

  group.setup(async () => {
    const size = {
      memoryTotal: 64 * BYTES_PER_GIB,
      diskTotal: 400 * BYTES_PER_GIB,
      cpuTotal: 16,
    }
    const started = await startFakeHost({ change: size, alone: true, ssh: true })
    host = started.host
    owner = await makeCustomer()
    return started.stop
  })

  /** Returns the host's allocated vCPUs, and its allocated memory and disk in bytes. */
  async function allocated() {
    await host.refresh()
    return [host.allocatedVcpu, host.allocatedMemory, host.allocatedDisk]
  }

  async function order({ id, instanceType }: ServerPackage, change: Partial<InstanceOrder> = {}) {
    const wanted = { name: uniqueName('web'), instanceType, serverPackageId: id }
    return orderInstance(await actorOf(owner), { ...wanted, billingPeriod: 'month', ...change })
  }
  async function made(
    row: ServerPackage,
    change: Partial<InstanceOrder> = {}
  ): Promise<ServerInstance> {
    const { instance, operation } = await order(row, change)
    await runSteps(operation.id)
    return instance.refresh()
  }
  const subscriptionsOf = ({ id }: ServerInstance) =>
    Subscription.query().where({ subjectType: 'server_instance', subjectId: id }).orderBy('id')
  async function edit(row: ServerPackage, price = '2.00'): Promise<void> {
    const specifications = { ...row.specifications, ram: { value: 512, unit: 'MB' as const } }
    const pricing = row.pricing.map((one) => ({ ...one, price, renew: price }))
    await row.merge({ specifications, pricing }).save()
  }

  test('an edit of a package changes no sold instance, neither its pages nor its limits', async ({
    assert,
  }) => {
    const row = await createSmallPackage('shared')
    const instance = await made(row)
    const before = await allocated()
    await edit(row)
    await row.merge({ offered: false }).save()
    const customer = await signIn(owner)
    const staff = await signIn(await makeStaff())
    const list = async (visitor: typeof customer, path: string) => {
      const { instances } = (await visitor.page(path)).json.props as unknown as InstanceListPage
      return instances.find(({ id }) => id === instance.id)!
    }
    for (const card of [
      await list(customer, '/server-instance/list'),
      await list(staff, '/admin/server-instance/list'),
    ]) {
      assert.deepEqual([card.package_version, card.specifications.ram.value], [1, 256])
    }
    const page = (await customer.page(`/server-instance/${instance.id}`)).json
      .props as unknown as InstancePage
    const staffs = (await staff.page(`/admin/server-instance/${instance.id}`)).json
      .props as unknown as AdminInstancePage
    for (const { instance: shown } of [page, staffs]) {
      assert.deepEqual([shown.package.version, shown.package.specifications.ram.value], [1, 256])
      assert.equal(shown.pricing?.price, '1.00')
      assert.deepEqual([shown.subscription?.version, shown.subscription?.price], [1, '1.00'])
    }
    // The package is no longer offered, and the instance has an old version of it, so a resize cannot select it.
    assert.notInclude(
      staffs.packages.map(({ id }) => id),
      row.id
    )
    assert.deepEqual(await allocated(), before)
  })

  test('versions are listed with their customers and changes, and an edit reports which customers keep the old version', async ({
    assert,
  }) => {
    const row = await createSmallPackage('shared')
    const person = await makeStaff()
    const staff = await signIn(person)
    const save = (change: Partial<ServerPackage>) => {
      const { id, name, instanceType, serverSeries, specifications, pricing } = row
      return staff.post('/admin/server-package/update', {
        id,
        name,
        instance_type: instanceType,
        server_series: serverSeries,
        offered: true,
        specifications,
        pricing,
        ...change,
      })
    }
    const pricing = row.pricing.map((one) => ({ ...one, price: '2.00', renew: '2.00' }))
    const have = (count: number) =>
      ServerInstance.createMany(
        Array.from({ length: count }, () => ({
          accountId: owner.id,
          serverPackageId: row.id,
          instanceType: 'shared' as const,
          name: uniqueName('web'),
          status: 'stopped' as const,
          billingPeriod: 'month' as const,
          ports: {},
        }))
      )
    await have(2)
    const second = await save({ pricing })
    assert.equal(
      second.json.message,
      `${row.name} is saved as version 2. 2 instances keep version 1.`
    )
    await have(1)
    const ram = { ...row.specifications, ram: { value: 1, unit: 'GB' as const } }
    const third = await save({ pricing, specifications: ram })
    assert.equal(
      third.json.message,
      `${row.name} is saved as version 3. 1 instance keeps version 2 and 2 instances keep version 1.`
    )
    const { json } = await staff.page(`/admin/server-package/list?search=${row.name}`)
    const { packages } = json.props as unknown as PackageListPage
    const shown = packages.find(({ id }) => id === row.id)!
    assert.deepEqual([shown.version, shown.instances, shown.specifications], [3, 3, ram])
    const prices = ['month', 'year'].flatMap((period) => {
      const before = period === 'month' ? '$1.00' : '$10.00'
      return [`Price per ${period}`, `Renewal per ${period}`].map((label) => ({
        label,
        before,
        after: '$2.00',
      }))
    })
    assert.deepEqual(
      shown.versions.map(({ number, by, instances, changes }) => ({
        number,
        by,
        instances,
        changes,
      })),
      [
        {
          number: 3,
          by: person.name,
          instances: 0,
          changes: [{ label: 'RAM', before: '256 MB', after: '1 GB' }],
        },
        { number: 2, by: person.name, instances: 1, changes: prices },
        { number: 1, by: null, instances: 2, changes: null },
      ]
    )
  })

  test('an order starts a subscription at the agreed price, and the subscription renews', async ({
    assert,
  }) => {
    const row = await createSmallPackage('shared')
    const pricing = [{ ...row.pricing[0], price: '0.300001', renew: '1.10' }]
    await row.merge({ pricing }).save()
    const { instance } = await order(row)
    const [one] = await subscriptionsOf(instance)
    assert.deepEqual(
      [one.accountId, one.packageVersionId, one.period, one.price, one.renewalPrice],
      [owner.id, instance.packageVersionId, 'month', '0.300001', '1.10']
    )
    assert.equal(one.startedAt.toMillis(), instance.createdAt.toMillis())
    assert.equal(
      one.renewsAt.toMillis(),
      nextRenewal(one.startedAt, 'month', one.startedAt).toMillis()
    )
    const later = one.renewsAt.plus({ months: 2, days: 1 })
    await renewSubscriptions(later)
    await one.refresh()
    assert.equal(one.renewsAt.toMillis(), nextRenewal(one.anchoredAt, 'month', later).toMillis())
  })

  test("a member's order is billed to the account that the member acts for", async ({ assert }) => {
    const member = await makeCustomer()
    const membership = { account_id: owner.id, person_id: member.id, role: 'developer' }
    await db.table('members').insert(membership)
    const row = await createSmallPackage('shared')
    const { instance } = await orderInstance(await actorOf(member, owner.id), {
      name: uniqueName('web'),
      instanceType: 'shared',
      serverPackageId: row.id,
      billingPeriod: 'month',
    })
    const [one] = await subscriptionsOf(instance)
    assert.deepEqual([instance.accountId, one.accountId], [owner.id, owner.id])
  })

  test('an order has the displayed price, or is rejected with the new price', async ({
    assert,
  }) => {
    const row = await createSmallPackage('shared')
    const visitor = await signIn(owner)
    const wanted = () => ({
      name: uniqueName('web'),
      instance_type: 'shared',
      server_package_id: row.id,
      billing_period: 'month',
    })
    const count = async () => (await db.from('subscriptions').count('* as n').first()).n
    const at = await count()
    // A changed price of another billing period does not reject the order.
    const yearly = [row.pricing[0], { ...row.pricing[1], price: '99.00' }]
    await row.merge({ pricing: yearly }).save()
    const fine = await visitor.post('/server-instance/store', { ...wanted(), package_version: 1 })
    assert.equal(fine.status, 202)
    const bought = await Subscription.query().orderBy('id', 'desc').firstOrFail()
    assert.equal(bought.price, '1.00')

    await edit(row, '2.50')
    const refused = await visitor.post('/server-instance/store', {
      ...wanted(),
      package_version: 2,
    })
    assert.equal(refused.status, 409)
    const price = dollarsToTaka('2.50', await loadDollarRate())
    assert.match(
      refused.json.message!,
      new RegExp(`^The price has changed: ${row.name} now costs ৳${price} per month`)
    )
    await row.merge({ specifications: { ...row.specifications, vcpu: { value: 2 } } }).save()
    const other = await visitor.post('/server-instance/store', { ...wanted(), package_version: 3 })
    assert.equal(other.status, 409)
    assert.match(other.json.message!, /The package .* has changed: vCPU 2 \(was 1\)\./)
    const unknown = await visitor.post('/server-instance/store', {
      ...wanted(),
      package_version: 99,
    })
    assert.equal(unknown.status, 422)
    assert.equal(Number(await count()), Number(at) + 1)
    // An order that names no package version gets the current one.
    assert.equal((await visitor.post('/server-instance/store', wanted())).status, 202)
  })

  test('during an edit, each order gets the displayed price or fails', async ({ assert }) => {
    const row = await createSmallPackage('shared')
    const orders = () => Array.from({ length: 4 }, () => order(row, { packageVersion: 1 }))
    const save = db.transaction(async (trx) => {
      const locked = await row.useTransaction(trx).refresh()
      await locked.merge({ pricing: [{ ...row.pricing[0], price: '7.00' }] }).save()
    })
    const outcomes = await Promise.allSettled([...orders(), save, ...orders()])
    await save
    let refused = 0
    for (const one of outcomes) {
      if (one.status === 'rejected') {
        assert.match(String(one.reason.message), /The price has changed/)
        refused++
      } else if (one.value) {
        const { instance } = one.value as Awaited<ReturnType<typeof order>>
        const [subscription] = await subscriptionsOf(instance)
        const version = await PackageVersion.findOrFail(instance.packageVersionId)
        assert.deepEqual([version.number, subscription.price], [1, '1.00'])
      }
    }
    const last = await order(row, { packageVersion: 1 }).then(
      () => null,
      (error: Error) => error.message
    )
    assert.match(last!, /The price has changed/)
    assert.isAtMost(refused, 8)
  })

  test('an order waits for a running edit of its package and uses the result', async ({
    assert,
  }) => {
    const row = await createSmallPackage('shared')
    const trx = await db.transaction()
    const locked = await row.useTransaction(trx).merge({
      pricing: [{ ...row.pricing[0], price: '7.00', renew: '7.00' }],
    })
    await locked.save()
    const asked = order(row, { packageVersion: 1 }).then(
      () => null,
      (error: Error) => error.message
    )
    const waits = eventually(async () => {
      const { rows } = await db.rawQuery(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%"server_packages"%'`
      )
      assert.isNotEmpty(rows)
    })
    await Promise.race([asked, waits])
    await trx.commit()
    assert.match((await asked)!, /The price has changed/)
  })

  test('a resize ends one subscription and starts another at the same time, with the same renewal day', async ({
    assert,
  }) => {
    const row = await createSmallPackage('shared')
    const instance = await made(row)
    const [first] = await subscriptionsOf(instance)
    const bigger = await createSmallPackage('shared', { memoryMb: 1024 })
    const pricing = [{ ...bigger.pricing[0], price: '0.10', renew: '3.00' }]
    await bigger.merge({ pricing }).save()
    const size = { serverPackageId: bigger.id }
    const staff = await actorOf(await makeStaff())
    const stale = resizeInstance(staff, instance.id, { ...size, seen: 1 })
    await assert.rejects(() => stale, /The price has changed/)
    const { id } = await resizeInstance(staff, instance.id, { ...size, seen: 2 })
    // The package changed after the request. The resize uses the version of the request.
    await bigger.merge({ pricing: [{ ...pricing[0], renew: '9.00' }] }).save()
    await runSteps(id)
    await runSteps(id)
    const [ended, running, ...more] = await subscriptionsOf(instance)
    assert.isEmpty(more)
    assert.equal(ended.id, first.id)
    assert.equal(ended.endReason, 'resized')
    assert.equal(ended.endedAt!.toMillis(), running.startedAt.toMillis())
    assert.equal(running.renewsAt.toMillis(), first.renewsAt.toMillis())
    assert.equal(running.anchoredAt.toMillis(), first.startedAt.toMillis())
    // The discounted first price applies to orders only, not to a resize.
    assert.deepEqual([running.price, running.renewalPrice], ['3.00', '3.00'])
    await instance.refresh()
    const version = await PackageVersion.findOrFail(instance.packageVersionId)
    assert.deepEqual([version.serverPackageId, version.number], [bigger.id, 2])
  })

  test('an update of an instance keeps its package version, unless it names the current version', async ({
    assert,
  }) => {
    const row = await createSmallPackage('shared')
    const instance = await made(row)
    await edit(row)
    const staff = await signIn(await makeStaff())
    const update = (change: object) =>
      staff.post('/admin/server-instance/update', {
        id: instance.id,
        server_package_id: row.id,
        ip: host.ip,
        ...change,
      })
    for (const change of [{}, { package_version: 1 }]) {
      assert.equal((await update(change)).status, 200)
      await instance.refresh()
      assert.equal((await PackageVersion.findOrFail(instance.packageVersionId)).number, 1)
    }
    const moved = await update({ package_version: 2 })
    assert.equal(moved.status, 202)
    await runSteps(String(moved.json.data!.operation_id))
    await instance.refresh()
    assert.equal((await PackageVersion.findOrFail(instance.packageVersionId)).number, 2)
    assert.equal(Number(instance.memoryBytes), 512 * 1024 ** 2)
    assert.lengthOf(await subscriptionsOf(instance), 2)
  })

  test('the subscription ends at the deletion request, and only once', async ({ assert }) => {
    const instance = await made(await createSmallPackage('shared'))
    const { id } = await deleteInstance(await actorOf(owner), instance.id)
    const [asked] = await subscriptionsOf(instance)
    await instance.refresh()
    assert.equal(asked.endReason, 'deleted')
    assert.equal(asked.endedAt!.toMillis(), instance.deletionAskedAt!.toMillis())
    await runSteps(id)
    const [ended, ...more] = await subscriptionsOf(instance)
    assert.isEmpty(more)
    assert.equal(ended.endedAt!.toMillis(), asked.endedAt!.toMillis())
  })

  test("a subscription belongs to the instance's account, and each instance has only one active subscription", async ({
    assert,
  }) => {
    const instance = await made(await createSmallPackage('shared'))
    const [{ packageVersionId }] = await subscriptionsOf(instance)
    const now = DateTime.utc()
    const another = (accountId: number) =>
      Subscription.create({
        accountId,
        subjectType: 'server_instance',
        subjectId: instance.id,
        packageVersionId,
        period: 'month',
        price: '1',
        renewalPrice: '1',
        startedAt: now,
        anchoredAt: now,
        renewsAt: now.plus({ months: 1 }),
      })
    const { id: stranger } = await makeCustomer()
    await deleteInstance(await actorOf(owner), instance.id)
    await assert.rejects(() => another(stranger), /subscriptions_server_instance/)
    await another(owner.id)
    await assert.rejects(() => another(owner.id), /subscriptions_running/)
  })
})
