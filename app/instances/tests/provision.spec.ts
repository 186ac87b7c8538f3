import { actorOf, Person } from '#identity/public'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import HostInstance from '#hosts/models/host_instance'
import { deleteInstance } from '#instances/actions/instance_lifecycle'
import { type InstanceOrder, orderInstance } from '#instances/actions/order_instance'
import { findFirstFreeAddress } from '#instances/containers/reserve_address'
import { portForwardDevices } from '#instances/containers/ports'
import { FakeIncus } from '#packages/incus/fake'
import { CuttingProxy } from '#tests/support/cutting_proxy'
import { FakeSshServers } from '#tests/support/fake_ssh_servers'
import {
  createHost,
  retireHosts,
  createSmallPackage,
  uniqueName,
  disableOtherHosts,
  startFakeHost,
} from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { createServer } from 'node:net'

async function order(type: InstanceOrder['instanceType']) {
  const actor = await actorOf(await makeCustomer())
  const { id } = await createSmallPackage(type)
  const ordered = await orderInstance(actor, {
    name: uniqueName('web'),
    instanceType: type,
    serverPackageId: id,
    billingPeriod: 'month',
  })
  return { actor, ...ordered }
}

function leases(instanceId: number) {
  return db.from('port_leases').where('server_instance_id', instanceId)
}

test.group('Provisioning', (group) => {
  let fake: FakeIncus
  let host: HostInstance

  group.each.setup(async () => {
    const started = await startFakeHost({ alone: true, ssh: true })
    ;({ fake, host } = started)
    return started.stop
  })

  test('creates a regular instance with limits, port, keys and pinned host key', async ({
    assert,
  }) => {
    const { instance, operation } = await order('regular')
    assert.equal(instance.status, 'pending')
    await runSteps(operation.id)
    const done = await Operation.findOrFail(operation.id)
    assert.deepEqual([done.status, done.error], ['done', null])
    await instance.refresh()
    assert.equal(instance.status, 'active')
    assert.equal(instance.ip, '127.0.0.1')
    assert.match(instance.hostKey!, /^ssh-ed25519 AAAA/)
    const { instance: container, files } = fake.state.instances.get(instance.systemId!)!
    assert.equal(container.status, 'Running')
    assert.equal(container.config['limits.cpu'], '1')
    assert.equal(container.config['limits.memory'], `${256 * 1024 ** 2}B`)
    assert.equal(container.config['user.berth.instance'], String(instance.id))
    assert.equal(container.devices.root.size, String(1.75 * 1024 ** 3))
    assert.equal(container.devices.eth0['security.port_isolation'], 'true')
    assert.equal(container.devices.eth0['ipv4.address'], instance.privateIp)
    assert.equal(files.get('/home/berth/.ssh/authorized_keys')!.mode, '0600')
    assert.isTrue(container.devices['port-ssh'].listen.endsWith(`:${instance.ports.ssh}`))
    assert.lengthOf(await leases(instance.id), 1)
    assert.isTrue(instance.ports.ssh >= 20_000 && instance.ports.ssh <= 29_999)
  })

  test('creates a shared instance without a port', async ({ assert }) => {
    const { instance, operation } = await order('shared')
    await runSteps(operation.id)
    await instance.refresh()
    assert.equal(instance.status, 'active')
    assert.deepEqual(instance.ports, {})
    assert.isNull(instance.sshKey)
    assert.lengthOf(await leases(instance.id), 0)
  })

  test('waits with a message while the base image is built', async ({ assert }) => {
    const alias = fake.state.aliases.get('berth-base')!
    fake.state.aliases.delete('berth-base')
    const { instance, operation } = await order('shared')
    // The step ends with a message and is retried later, so that it does not block a worker.
    await runSteps(operation.id)
    const { status, steps } = await Operation.findOrFail(operation.id)
    assert.equal(status, 'running')
    assert.include(steps.find(({ key }) => key === 'create')!.note, 'Waiting until the base image')
    fake.state.aliases.set('berth-base', alias)
    await runSteps(operation.id)
    await instance.refresh()
    assert.equal(instance.status, 'active')
  })

  test('uses another port if the chosen one is in use by another program', async ({ assert }) => {
    const listener = createServer()
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const busy = (listener.address() as { port: number }).port
    const { instance, operation } = await order('regular')
    await db.table('port_leases').insert({
      host_instance_id: host.id,
      port: busy,
      server_instance_id: instance.id,
      account_id: instance.accountId,
      name: 'ssh',
      inner_port: 22,
    })
    await runSteps(operation.id)
    await instance.refresh()
    assert.equal(instance.status, 'active')
    assert.notEqual(instance.ports.ssh, busy)
    assert.lengthOf(await leases(instance.id), 1)
    await new Promise((resolve) => listener.close(resolve))
  })

  test('a failed creation has a message, deletes no container of another program, and can be retried', async ({
    assert,
  }) => {
    // Another program's container already has the name that the new instance needs.
    const { instance, operation } = await order('shared')
    const { incusNameOf } = await import('#instances/containers/labels')
    const name = await incusNameOf(instance.id)
    const client = (await import('#hosts/incus_connections')).incusClientFor(host)
    await (await client.instances.create({ name, image: 'berth-base' })).wait()
    await runSteps(operation.id)
    await instance.refresh()
    assert.equal(instance.status, 'failed')
    assert.include(instance.statusReason, 'does not belong to this installation')
    assert.equal(fake.state.instances.size, 1)
    fake.state.instances.clear()
    const { retryProvisioning } = await import('#instances/actions/instance_lifecycle')
    const actor = await actorOf(await Person.findOrFail(instance.accountId))
    await runSteps((await retryProvisioning(actor, instance.id)).id)
    await instance.refresh()
    assert.deepEqual([instance.status, instance.statusReason], ['active', null])
  })

  test('a deletion during the creation leaves no container', async ({ assert }) => {
    fake.state.aliases.delete('berth-base')
    const { actor, instance, operation } = await order('regular')
    await runSteps(operation.id)
    const { steps } = await Operation.findOrFail(operation.id)
    assert.equal(steps.find(({ key }) => key === 'create')!.status, 'running')
    const deletion = await deleteInstance(actor, instance.id)
    await runSteps(deletion.id)
    await runSteps(operation.id)
    await instance.refresh()
    assert.equal(instance.status, 'deleted')
    assert.equal((await Operation.findOrFail(operation.id)).status, 'failed')
    assert.equal(fake.state.instances.size, 0)
    assert.lengthOf(await leases(instance.id), 0)
  })
})

test.group('Provisioning | interrupted at every request to Incus', (group) => {
  let fake: FakeIncus
  let machines: FakeSshServers
  let cut: CuttingProxy
  let host: HostInstance
  let restore: () => Promise<void>

  group.each.timeout(1_800_000)
  group.each.setup(async () => {
    restore = await disableOtherHosts()
    fake = await FakeIncus.start()
    machines = new FakeSshServers(fake)
    cut = await CuttingProxy.before(fake.socketPath)
    host = await createHost(cut.socketPath)
    return async () => {
      await retireHosts(host)
      await cut.stop()
      await machines.stop()
      await fake.stop()
      await restore()
    }
  })

  /**
   * Simulates a crash of the worker at the message to Incus that follows `messages` others. Returns true if the
   * operation finished before that message.
   */
  async function runUntilCut(id: string, messages: number, lose: 'request' | 'answer') {
    const death = new AbortController()
    cut.after(messages, lose, () => death.abort())
    await runSteps(id, death.signal)
    cut.never()
    return !death.signal.aborted
  }

  // A lost request is equal to a crash after the previous response, so the test loses only every seventh request.
  for (const { lose, every } of [
    { lose: 'answer', every: 1 },
    { lose: 'request', every: 7 },
  ] as const) {
    test(`creates one instance and one port, whichever ${lose} is lost`, async ({ assert }) => {
      for (let messages = 0, over = false; !over; messages += every) {
        const { actor, instance, operation } = await order('regular')
        over = await runUntilCut(operation.id, messages, lose)
        await runSteps(operation.id)
        await instance.refresh()
        const { status, error } = await Operation.findOrFail(operation.id)
        assert.deepEqual([status, error, instance.status], ['done', null, 'active'])
        assert.deepEqual([...fake.state.instances.keys()], [instance.systemId])
        assert.lengthOf(await leases(instance.id), 1)
        const { devices } = fake.state.instances.get(instance.systemId!)!.instance
        assert.isTrue(devices['port-ssh'].listen.endsWith(`:${instance.ports.ssh}`))

        const deletion = await deleteInstance(actor, instance.id)
        await runUntilCut(deletion.id, messages, lose)
        await runSteps(deletion.id)
        await instance.refresh()
        assert.equal(instance.status, 'deleted')
        assert.equal(fake.state.instances.size, 0)
        assert.lengthOf(await leases(instance.id), 0)
      }
    })
  }
})

test.group('Provisioning | addresses and forwards', () => {
  test('uses the first free address, never that of bridge, network or broadcast', ({ assert }) => {
    assert.equal(findFirstFreeAddress('10.1.2.1/24', new Set()), '10.1.2.2')
    assert.equal(findFirstFreeAddress('10.1.2.1/24', new Set(['10.1.2.2', '10.1.2.4'])), '10.1.2.3')
    assert.equal(findFirstFreeAddress('10.1.2.2/30', new Set()), '10.1.2.1')
    assert.isNull(findFirstFreeAddress('10.1.2.1/30', new Set(['10.1.2.2'])))
    assert.isNull(findFirstFreeAddress('none', new Set()))
  })

  test('forwards ports by the kernel, or by a process if the address is loopback', ({ assert }) => {
    const [first, second] = portForwardDevices('192.0.2.7', 20_001, '10.1.2.3', 22)
    assert.deepEqual(first, {
      type: 'proxy',
      nat: 'true',
      listen: 'tcp:192.0.2.7:20001',
      connect: 'tcp:10.1.2.3:22',
    })
    assert.equal(second.listen, 'tcp:0.0.0.0:20001')
    assert.lengthOf(portForwardDevices('127.0.0.1', 20_001, '10.1.2.3', 22), 1)
  })
})
