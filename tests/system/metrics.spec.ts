import { gatherSamples } from '#metrics/gather_samples'
import { HostInstance } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import { eventually } from '#tests/support/eventually'
import { createInstanceOrderer } from '#tests/support/instance_orders'
import { makeCustomer, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { existsSync } from 'node:fs'

const MiB = 1024 ** 2
const socket = process.env.INCUS_SOCKET

test.group('Metrics of a real instance', () => {
  test('samples and the instance’s page follow the real disk usage', async ({
    assert,
    cleanup,
  }) => {
    const orders = await createInstanceOrderer()
    cleanup(() => orders.end())
    const customer = await makeCustomer()
    const { instance, sh } = await orders.order(customer, 'regular')
    const visitor = await signIn(customer)
    const host = await HostInstance.findOrFail(instance.hostInstanceId)
    const used = async () => {
      const samples = await gatherSamples(host, incusClientFor(host), DateTime.utc())
      const own = samples.find((one) => one.subject === 'instance' && one.subjectId === instance.id)
      const page = await visitor.page(`/server-instance/${instance.id}`)
      const { disk } = page.json.props!.instance as { disk: { used: number; total: number } }
      assert.equal(disk.used, own!.diskUsed)
      assert.equal(disk.total, own!.diskTotal)
      return disk.used
    }
    await sh('sync')
    const before = await used()
    await sh('head -c 300M /dev/urandom > /root/written && sync')
    await eventually(async () => assert.closeTo((await used()) - before, 300 * MiB, 60 * MiB))
    await sh('rm /root/written && sync')
    await eventually(async () => assert.closeTo((await used()) - before, 0, 60 * MiB))
  })
    .skip(!socket || !existsSync(socket), 'needs an Incus: set INCUS_SOCKET')
    .timeout(1_200_000)
})
