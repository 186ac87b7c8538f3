import { type Order, orderInstance } from '#compute/actions/order_instance'
import HostInstance from '#compute/models/host_instance'
import ServerInstance from '#compute/models/server_instance'
import { limitsOf, promisedOn } from '#compute/queries/hosts'
import { Refusal } from '#core/refusal'
import { FakeIncus } from '#packages/incus/fake'
import { fakeHost, retire, smallPackage, unique, withoutOtherHosts } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'

const GIB = 1024 ** 3

test.group('Placement', (group) => {
  let fake: FakeIncus
  let host: HostInstance
  let restore: () => Promise<void>

  group.each.setup(async () => {
    restore = await withoutOtherHosts()
    fake = await FakeIncus.start()
    host = await fakeHost(fake)
    return async () => {
      await retire(host)
      await fake.stop()
      await restore()
    }
  })

  async function order(change: Partial<Order> = {}) {
    const actor = (await makeCustomer()).asActor()
    const serverPackageId = change.serverPackageId ?? (await smallPackage('regular')).id
    const name = unique('web')
    return orderInstance(actor, {
      name,
      instanceType: 'regular',
      billingPeriod: 'month',
      ...change,
      serverPackageId,
    })
  }

  test('of ten orders at once only as many win as there is room for', async ({ assert }) => {
    // Room for three: memory of 3 x 1 GiB beyond what the host keeps.
    await host.merge({ memoryTotal: 3 * GIB + 512 * 1024 ** 2 }).save()
    const { id } = await smallPackage('regular', { memoryMb: 1024 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => order({ serverPackageId: id }))
    )
    const won = outcomes.filter(({ status }) => status === 'fulfilled')
    const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    assert.lengthOf(won, 3)
    for (const reason of lost) {
      assert.instanceOf(reason, Refusal)
      assert.equal((reason as Refusal).code, 'no_room')
    }
    const promised = (await promisedOn([host.id])).get(host.id)!
    assert.isAtMost(promised.memory, limitsOf(host).memory)
    assert.equal(promised.instances, 3)
  })

  test('never promises more disk than there is', async ({ assert }) => {
    await host.merge({ diskTotal: 4 * GIB }).save()
    await order()
    await assert.rejects(() => order(), /No host has room/)
  })

  test('an order needs an active host, and says so', async ({ assert }) => {
    await host.merge({ status: 'maintenance' }).save()
    await assert.rejects(() => order(), /No host can take new instances/)
  })

  test('a name is taken once for each customer, also by orders at once', async ({ assert }) => {
    const actor = (await makeCustomer()).asActor()
    const { id } = await smallPackage('shared')
    const name = unique('same')
    const wanted = { name, instanceType: 'shared', billingPeriod: 'year' } as const
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => orderInstance(actor, { ...wanted, serverPackageId: id }))
    )
    assert.lengthOf(
      outcomes.filter(({ status }) => status === 'fulfilled'),
      1
    )
    for (const one of outcomes) {
      if (one.status === 'rejected') assert.property((one.reason as Refusal).errors, 'name')
    }
    const other = (await makeCustomer()).asActor()
    await orderInstance(other, { ...wanted, serverPackageId: id })
  })

  test('a package of the other type or no longer offered is refused', async ({ assert }) => {
    const shared = await smallPackage('shared')
    await assert.rejects(() => order({ serverPackageId: shared.id }), /not offered/)
    const old = await smallPackage('regular')
    await old.merge({ offered: false }).save()
    await assert.rejects(() => order({ serverPackageId: old.id }), /not offered/)
  })

  test('fifty instances are as many as one customer can have', async ({ assert }) => {
    const actor = (await makeCustomer()).asActor()
    const { id } = await smallPackage('regular')
    await ServerInstance.createMany(
      Array.from({ length: 50 }, (_, index) => ({
        customerId: actor.id,
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
