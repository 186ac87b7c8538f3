import { actorOf } from '#identity/public'
import Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import { incusClientFor } from '#hosts/incus_connections'
import {
  INSTALLATION_CONFIG_KEY,
  loadInstallationId,
  watchdogContainerName,
} from '#hosts/installation_identity'
import type HostInstance from '#hosts/models/host_instance'
import { WATCHDOG_VERSION_CONFIG_KEY } from '#hosts/watchdog/build_mode_watchdog'
import { endBoost } from '#instances/actions/boost_instance'
import { openHostPortForEdge } from '#instances/actions/host_ports_for_edge'
import { orderInstance } from '#instances/actions/order_instance'
import { incusNameOf } from '#instances/containers/labels'
import {
  connectToActiveInstance,
  connectToActiveInstanceViaHost,
} from '#instances/instance_machines'
import ServerInstance from '#instances/models/server_instance'
import {
  instanceRestartWithoutAppsOperation,
  instanceStopOperation,
} from '#instances/operations/power'
import { instanceOperationSubject } from '#instances/queries/instances'
import { reconcileInstance } from '#instances/schedules/reconcile_instances'
import { FakeIncus } from '#packages/incus/fake'
import type { Instance } from '#packages/incus/main'
import { FakeSshServers } from '#tests/support/fake_ssh_servers'
import {
  createFakeHost,
  retireHosts,
  createSmallPackage,
  uniqueName,
  disableOtherHosts,
} from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { actAsWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import assert from 'node:assert/strict'

test.group('An instance row with the name of another container', (group) => {
  let fake: FakeIncus
  let host: HostInstance
  let instance: ServerInstance
  const ran: string[][] = []

  group.each.setup(async () => {
    fake = await FakeIncus.start()
    fake.onExec(({ argv }) => {
      ran.push(argv)
      return { exitCode: 0 }
    })
    ran.length = 0
    host = await createFakeHost(fake, { isLocal: true })
    const { id: accountId } = await makeCustomer()
    const { id: serverPackageId } = await createSmallPackage('shared')
    instance = await ServerInstance.create({
      accountId,
      serverPackageId,
      hostInstanceId: host.id,
      name: uniqueName('web'),
      ports: {},
      instanceType: 'shared',
      status: 'active',
      billingPeriod: 'month',
      boostMode: false,
    })
    return async () => {
      await instance.merge({ status: 'deleted', systemId: null }).save()
      await retireHosts(host)
      await fake.stop()
    }
  })

  /** Calls `look` with each kind of foreign container that a manipulated row may name. */
  async function withEach(look: (container: Instance) => Promise<void>) {
    const ours = { [INSTALLATION_CONFIG_KEY]: await loadInstallationId() }
    for (const config of [
      {},
      { ...ours, [WATCHDOG_VERSION_CONFIG_KEY]: '1' },
      { ...ours, 'user.berth.instance': String(instance.id + 1) },
    ]) {
      const name = uniqueName('foreign')
      const made = { name, image: 'berth-base', start: true, config }
      await (await incusClientFor(host).instances.create(made)).wait()
      await instance.merge({ systemId: name, status: 'active' }).save()
      const { instance: container, files } = fake.state.instances.get(name)!
      const before = JSON.stringify(container)
      await look(container)
      assert.equal(JSON.stringify(fake.state.instances.get(name)?.instance), before)
      assert.equal(files.size, 0)
    }
  }

  test('changes no port or limit of that container, and does not delete it', () =>
    withEach(async ({ name }) => {
      for (const kind of [instanceStopOperation, instanceRestartWithoutAppsOperation]) {
        const work = {
          title: kind.kind,
          accountId: null,
          subject: instanceOperationSubject(instance),
        }
        const { id } = await startOperation(kind, { instanceId: instance.id }, work)
        await runSteps(id)
        const { status, error } = await Operation.findOrFail(id)
        assert.equal(status, 'failed')
        assert.match(error!, /does not belong/)
      }
      await instance.merge({ boostedUntil: DateTime.utc().minus({ minutes: 1 }) }).save()
      await assert.rejects(() => endBoost(instance.id), /does not belong/)
      const inner = { server_instance_id: instance.id, inner_port: 80 }
      await assert.rejects(() => openHostPortForEdge(inner), /does not belong/)
      await instance.merge({ boostedUntil: null, status: 'deleted' }).save()
      await reconcileInstance(instance.id, name, incusClientFor(host))
      assert.deepEqual(ran, [])
    }))

  test('runs no command in that container', async () => {
    await withEach(async () => {
      const end = actAsWorker(fake.socketPath)
      try {
        await assert.rejects(() => connectToActiveInstance(instance), /does not belong/)
        await assert.rejects(() => connectToActiveInstanceViaHost(instance), /does not belong/)
      } finally {
        end()
      }
    })
    assert.deepEqual(ran, [])
  })

  test("an order creates a container with Berth's own name, on the customers' network and pool", async ({
    cleanup,
  }) => {
    cleanup(await disableOtherHosts())
    const networks = { type: 'bridge', config: { 'ipv4.address': '192.0.2.1/24' } }
    await incusClientFor(host).networks.create({ name: 'office', ...networks })
    await incusClientFor(host).storagePools.create({ name: 'archive', driver: 'dir' })
    const misled = { network: 'office', storagePool: 'archive' }
    await (await host.refresh()).merge({ status: 'active', ...misled }).save()
    const machines = new FakeSshServers(fake)
    cleanup(() => machines.stop())
    const { id } = await createSmallPackage('shared')
    const ordered = await orderInstance(await actorOf(await makeCustomer()), {
      name: uniqueName('web'),
      instanceType: 'shared',
      serverPackageId: id,
      billingPeriod: 'month',
    })
    await ordered.instance.merge({ systemId: await watchdogContainerName() }).save()
    await runSteps(ordered.operation.id)
    const made = await ServerInstance.findOrFail(ordered.instance.id)
    assert.equal(made.status, 'active')
    assert.equal(made.systemId, await incusNameOf(made.id))
    assert.deepEqual([...fake.state.instances.keys()], [made.systemId])
    const { devices } = fake.state.instances.get(made.systemId!)!.instance
    assert.deepEqual([devices.eth0.network, devices.root.pool], ['incusbr0', 'berth'])
  })
})
