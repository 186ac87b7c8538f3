import { actorOf } from '#identity/public'
import { changePower, deleteInstance, resizeInstance } from '#instances/actions/instance_lifecycle'
import { boostInstance, endBoost } from '#instances/actions/boost_instance'
import { orderInstance } from '#instances/actions/order_instance'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import { listOpenDiscrepancies } from '#hosts/queries/discrepancies'
import { reconcileHost } from '#instances/schedules/reconcile_instances'
import type { HostInstance } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import { ServerInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import type { InstanceType } from '#catalog/models/server_package'
import type { Actor } from '#core/contracts/actor'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { removeContainer } from '#packages/incus/main'
import { connectSsh, generateKeyPair } from '#packages/machine/main'
import { sshTarget } from '#instances/instance_machines'
import { eventually } from '#tests/support/eventually'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import type { Assert } from '@japa/assert'
import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'

const execute = promisify(execFile)

const socket = process.env.INCUS_SOCKET

test.group('Server instances on a real Incus', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  let host: HostInstance
  let customer: Actor
  let restore: () => Promise<void>
  const made: ServerInstance[] = []

  group.setup(async () => {
    restore = await disableOtherHosts()
    host = (await registerLocalHost()).host
    await host.merge({ status: 'active' }).save()
    customer = await actorOf(await makeCustomer())
  })
  group.teardown(() => restore())
  // Deletes the instances of the test, so that a retry has enough free resources.
  group.each.teardown(async () => {
    for (const instance of made.splice(0)) {
      await instance.refresh()
      if (instance.status === 'deleted' || instance.deletionAskedAt) continue
      await runSteps((await deleteInstance(customer, instance.id)).id)
    }
  })

  async function run(operation: Operation) {
    await runSteps(operation.id)
    const { status, error } = await Operation.findOrFail(operation.id)
    if (status !== 'done') throw new Error(`${operation.kind} is ${status}: ${error}`)
  }

  async function order(type: InstanceType) {
    const { id } = await createSmallPackage(type)
    const { instance, operation } = await orderInstance(customer, {
      name: uniqueName('web'),
      instanceType: type,
      serverPackageId: id,
      billingPeriod: 'month',
    })
    made.push(instance)
    await run(operation)
    return instance.refresh()
  }

  async function told(instance: ServerInstance, ...argv: string[]) {
    const { code, stdout, stderr } = await (
      await connectToActiveInstance(instance)
    ).exec(argv, {
      timeout: 60_000,
    })
    return { code, output: `${stdout}${stderr}`.trim() }
  }

  /** Waits, because Incus assigns CPUs in the background after it has recorded the limit. */
  async function assertCpus(assert: Assert, instance: ServerInstance, count: number) {
    await eventually(async () => {
      assert.equal((await told(instance, 'nproc')).output, String(count))
    })
  }

  test('are created, limited, isolated, stopped, started, boosted and deleted without remains', async ({
    assert,
    cleanup,
  }) => {
    const first = await order('regular')
    assert.equal(first.status, 'active')

    // The server accepts Berth's key, and the instance has the ordered name and limits.
    assert.equal((await told(first, 'sudo', '-n', 'id', '-u')).output, '0')
    assert.equal((await told(first, 'hostname')).output, first.name)
    await assertCpus(assert, first, 1)
    const memory = await told(first, 'awk', '/MemTotal/ { print $2 }', '/proc/meminfo')
    assert.equal(Number(memory.output), 256 * 1024)
    const overfull = ['fallocate', '-l', '4G', '/home/berth/too-much']
    assert.notEqual((await told(first, ...overfull)).code, 0)
    await told(first, 'rm', '-f', '/home/berth/too-much')

    // The server rejects another key. Berth rejects a server with another host key.
    const target = await sshTarget(first)
    const other = generateKeyPair()
    await assert.rejects(() => connectSsh({ ...target, privateKey: other.privateKey }))
    const [type, key] = other.publicKey.split(' ')
    await assert.rejects(() => connectSsh({ ...target, hostKey: `${type} ${key}` }), /host key/)

    const second = await order('shared')
    const reach = `const s = require('net').connect({ host: process.argv[1], port: 80, timeout: 3000 })
      s.on('connect', () => process.exit(0)); s.on('timeout', () => process.exit(1)); s.on('error', () => process.exit(1))`
    // Waits until the neighbour's web server responds locally. Then only the isolation can make it unreachable.
    await eventually(async () => {
      assert.equal((await told(second, 'node', '-e', reach, '127.0.0.1')).code, 0)
    })
    assert.equal((await told(first, 'node', '-e', reach, second.privateIp!)).code, 1)

    await run(await changePower(customer, first.id, 'stop'))
    assert.equal((await first.refresh()).status, 'stopped')
    await assert.rejects(() => connectToActiveInstance(first), /not active/)
    await run(await changePower(customer, first.id, 'start'))
    assert.equal((await first.refresh()).status, 'active')
    assert.equal((await told(first, 'hostname')).output, first.name)

    // Build Mode raises the limits in Incus, and restores them when its time is over.
    const incus = incusClientFor(host)
    const { boostTimer } = await boostInstance(customer, first.id)
    assert.isAtMost(boostTimer, 900)
    assert.isAbove(boostTimer, 800)
    const raised = (await incus.instances.get(first.systemId!)).config
    assert.equal(raised['limits.cpu'], String(Math.min(4, host.cpuTotal)))
    assert.equal(raised['limits.memory'], `${512 * 1024 ** 2}B`)
    await assertCpus(assert, first, Math.min(4, host.cpuTotal))

    // A resize needs no restart and does not end Build Mode.
    const memorySeen = async () =>
      Number((await told(first, 'awk', '/MemTotal/ { print $2 }', '/proc/meminfo')).output)
    const bigger = await createSmallPackage('regular', { vcpu: 2, memoryMb: 384, diskGb: 2 })
    await run(await resizeInstance(customer, first.id, { serverPackageId: bigger.id }))
    assert.equal(await memorySeen(), 768 * 1024)
    const resized = await incus.instances.get(first.systemId!)
    assert.equal(resized.devices.root!.size, String((await first.refresh()).diskBytes))
    const boostKeys = ['until', 'memory', 'cpu'].map((key) => `user.berth.boost.${key}`)
    assert.deepEqual(
      boostKeys.map((key) => resized.config[key]),
      [raised['user.berth.boost.until'], `${384 * 1024 ** 2}B`, '2']
    )
    const past = new Date(Date.now() - 1_000)
    await ServerInstance.query().where('id', first.id).update({ boosted_until: past })
    assert.isTrue(await endBoost(first.id))
    await assertCpus(assert, first, Math.min(2, host.cpuTotal))
    assert.equal(await memorySeen(), 384 * 1024)

    // A copy of the container has all settings of the original, but another name. Berth must not use it.
    const copy = `${first.systemId}-copy`
    const env = { PATH: process.env.PATH, HOME: tmpdir(), INCUS_SOCKET: socket }
    await execute('incus', ['copy', first.systemId!, copy], { env, timeout: 300_000 })
    cleanup(() => removeContainer(incus, copy))
    const { config: copied } = await incus.instances.get(copy)
    assert.equal(copied['user.berth.instance'], String(first.id))
    await reconcileHost(host)
    assert.equal((await first.refresh()).status, 'active')
    const kinds = (await listOpenDiscrepancies(host.id)).filter((one) => one.system_id === copy)
    assert.deepEqual(
      kinds.map(({ kind }) => kind),
      ['copy']
    )

    // The instance is stopped by Incus's own tools. Berth then corrects its record.
    await incus.instances
      .setState(second.systemId!, 'stop', { force: true })
      .then((operation) => operation.wait())
    await reconcileHost(host)
    assert.equal((await second.refresh()).status, 'stopped')

    for (const instance of [first, second]) {
      const { systemId } = instance
      await run(await deleteInstance(customer, instance.id))
      assert.equal((await instance.refresh()).status, 'deleted')
      await assert.rejects(() => incus.instances.get(systemId!), /not found/i)
      assert.lengthOf(await db.from('port_leases').where('server_instance_id', instance.id), 0)
    }
    await assert.rejects(() => connectSsh({ ...target, timeout: 3_000 }))
  })
})
