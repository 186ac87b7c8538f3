import { actorOf } from '#identity/public'
import { changePower, deleteInstance } from '#instances/actions/instance_lifecycle'
import { orderInstance } from '#instances/actions/order_instance'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import { type InstanceUpdate, updateInstance } from '#instances/actions/update_instance'
import type { HostInstance } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import { ServerInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import type { AppError } from '#core/app_error'
import type { Actor } from '#core/contracts/actor'
import { breakLock } from '#tests/support/break_lock'
import { eventually } from '#tests/support/eventually'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import { makeCustomer, makeStaff } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'

const socket = process.env.INCUS_SOCKET

/** A systemd service that ignores stop requests, so that a clean shutdown never finishes. */
const STUBBORN_UNIT = `[Unit]
Description=Does not end
[Service]
ExecStart=/bin/sleep infinity
ExecStop=/bin/sleep infinity
TimeoutStopSec=infinity
`

test.group('Changes of a real instance', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  let host: HostInstance
  let customer: Actor
  let staff: Actor
  let restore: () => Promise<void>
  let instance: ServerInstance

  group.setup(async () => {
    restore = await disableOtherHosts()
    host = (await registerLocalHost()).host
    await host.merge({ status: 'active' }).save()
    customer = await actorOf(await makeCustomer())
    staff = await actorOf(await makeStaff())
  })
  group.teardown(() => restore())
  group.each.setup(async () => {
    const { id } = await createSmallPackage('regular')
    const ordered = await orderInstance(customer, {
      name: uniqueName('web'),
      instanceType: 'regular',
      serverPackageId: id,
      billingPeriod: 'month',
    })
    instance = ordered.instance
    await runSteps(ordered.operation.id)
    await instance.refresh()
  })
  group.each.teardown(async () => {
    await runSteps((await deleteInstance(customer, instance.id)).id)
  })

  async function known() {
    const { ip, ports } = await instance.refresh()
    const leases = await db
      .from('port_leases')
      .where('server_instance_id', instance.id)
      .orderBy('port')
    const { devices } = await incusClientFor(host).instances.get(instance.systemId!)
    return { ip, ports, leases, devices }
  }

  test('an update moves and adds ports in one request, and a rejected update changes nothing', async ({
    assert,
  }) => {
    const ip = instance.ip!
    const ports = { ssh: 19_022, 8080: 19_080 }
    assert.isNull(await updateInstance(staff, instance.id, { ip, ports }))
    await instance.refresh()
    assert.deepEqual(instance.ports, ports)
    // This command must connect to the new port.
    const machine = await connectToActiveInstance(instance)
    assert.equal((await machine.exec(['true'], { timeout: 60_000 })).code, 0)

    const before = await known()
    const listener = createServer().listen(0)
    await once(listener, 'listening')
    const { port: inUse } = listener.address() as AddressInfo
    const huge = await createSmallPackage('regular', { diskGb: 100_000 })
    const wanted: InstanceUpdate[] = [
      { ip, ports: { ssh: 19_023, 8080: inUse } },
      { ip: '203.0.113.99', ports: { ssh: 19_023 } },
      { ip, ports: { ssh: 19_023 }, server_package_id: huge.id },
    ]
    for (const fields of wanted) {
      const refusal = await updateInstance(staff, instance.id, fields).then(
        () => null,
        (error: AppError) => error
      )
      assert.include([409, 422], Number(refusal?.status))
      assert.deepEqual(await known(), before)
    }
    listener.close()
    await huge.merge({ offered: false }).save()
    assert.equal((await machine.exec(['true'], { timeout: 60_000 })).code, 0)
  })

  test('an update that loses its lock is undone, but keeps the port of the next update', async ({
    assert,
  }) => {
    const incus = incusClientFor(host)
    const { ip, ports } = instance
    const before = await known()
    const lockRow = async () => {
      const trx = await db.transaction()
      await ServerInstance.query({ client: trx }).where('id', instance.id).forUpdate().first()
      return trx
    }
    // The update saves its rows twice: in a transaction that is rolled back, before Incus is
    // changed, and again afterwards.
    const beforeRehearsal = await lockRow()
    const update = updateInstance(staff, instance.id, {
      ip: ip!,
      ports: { ...ports, 8080: 19_081 },
    }).catch((error: AppError) => error)
    const waits = db
      .from('pg_stat_activity')
      .where('wait_event_type', 'Lock')
      .whereILike('query', '%server_instances%for update')
    await eventually(async () => assert.lengthOf(await waits.clone(), 1))
    const beforeSaving = lockRow()
    await eventually(async () => assert.lengthOf(await waits.clone(), 2))
    await beforeRehearsal.commit()
    const trx = await beforeSaving
    await eventually(async () => assert.property((await known()).devices, 'port-8080'))
    const next = { type: 'proxy', listen: `tcp:${ip}:19082`, connect: 'tcp:127.0.0.1:9000' }
    await incus.instances.patch(instance.systemId!, { devices: { 'port-9000': next } })
    await breakLock(`instance:${instance.id}`)
    await trx.commit()
    assert.equal(((await update) as AppError).code, 'lock_unavailable')
    const devices = { ...before.devices, 'port-9000': next }
    assert.deepEqual(await known(), { ...before, devices })
  })

  test('an instance that neither responds nor shuts down is restarted', async ({ assert }) => {
    const machine = await connectToActiveInstance(instance)
    const root = { user: 'root', timeout: 60_000 } as const
    const unit = '/etc/systemd/system/stubborn.service'
    await machine.exec(['tee', unit], { ...root, stdin: STUBBORN_UNIT })
    assert.equal((await machine.exec(['systemctl', 'start', 'stubborn'], root)).code, 0)
    const silence = ['systemctl', 'stop', 'ssh.socket', 'ssh.service']
    await incusClientFor(host).instances.exec(instance.systemId!, silence)
    // Open SSH connections would otherwise still work after the change.
    await incusClientFor(host).instances.exec(instance.systemId!, ['pkill', '-9', 'sshd'])

    const { id } = await changePower(customer, instance.id, 'restart')
    await runSteps(id)
    const { status, error, steps } = await Operation.findOrFail(id)
    assert.equal(status, 'done', error ?? '')
    const { note } = steps.find(({ key }) => key === 'stop')!
    assert.equal(note, 'The instance did not shut down, so a power-off was forced')
    assert.equal((await instance.refresh()).status, 'active')
    assert.equal((await (await connectToActiveInstance(instance)).exec(['true'])).code, 0)
  })
})
