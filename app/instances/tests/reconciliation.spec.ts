import { actorOf } from '#identity/public'
import { listOperationsOfSubject } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import { incusClientFor } from '#hosts/incus_connections'
import HostInstance from '#hosts/models/host_instance'
import { listOpenDiscrepancies } from '#hosts/queries/discrepancies'
import { boostInstance, endBoost } from '#instances/actions/boost_instance'
import { saveProjectRecordsAppliedAt } from '#instances/actions/save_projects_applied_at'
import { instanceLabels, incusNameOf, orderTimeLabel } from '#instances/containers/labels'
import { startContainer, stopContainer } from '#instances/containers/power'
import ServerInstance, { type InstanceStatus } from '#instances/models/server_instance'
import { endBoosts } from '#instances/schedules/end_boosts'
import { watchHostEvents } from '#instances/schedules/watch_host_events'
import { reconcileHost, reconcileInstance } from '#instances/schedules/reconcile_instances'
import type { FakeIncus } from '#packages/incus/fake'
import { eventually } from '#tests/support/eventually'
import {
  createSmallPackage,
  disableOtherHosts,
  uniqueName,
  startFakeHost,
} from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { FakeSshServers } from '#tests/support/fake_ssh_servers'
import { orderInstance } from '#instances/actions/order_instance'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

test.group('Reconciliation of instances', (group) => {
  let fake: FakeIncus
  let host: HostInstance

  group.each.setup(async () => {
    const started = await startFakeHost()
    ;({ fake, host } = started)
    return started.stop
  })

  /**
   * Creates an instance and its container. The container has only Berth's labels, and none of the limits and devices
   * that provisioning sets.
   */
  async function instanceIn(status: InstanceStatus, { running = true } = {}) {
    const customer = await actorOf(await makeCustomer())
    const { id } = await createSmallPackage('shared')
    const row = await ServerInstance.create({
      accountId: customer.id,
      hostInstanceId: host.id,
      serverPackageId: id,
      name: uniqueName('web'),
      instanceType: 'shared',
      status,
      billingPeriod: 'month',
      ports: {},
      boostMode: true,
      vcpu: 1,
      memoryBytes: 256 * 1024 ** 2,
      diskBytes: 3 * 1024 ** 3,
    })
    await row.merge({ systemId: await incusNameOf(row.id) }).save()
    const { instances } = incusClientFor(host)
    await (
      await instances.create({
        name: row.systemId!,
        image: 'berth-base',
        start: running,
        config: { ...(await instanceLabels(row.id)) },
      })
    ).wait()
    return { row, customer }
  }

  const configOf = (row: ServerInstance) => fake.state.instances.get(row.systemId!)!.instance.config

  test('Build Mode raises the limits once, and lowers them even if all processes were killed', async ({
    assert,
  }) => {
    const { row, customer } = await instanceIn('active')
    const answers = await Promise.allSettled([1, 2, 3].map(() => boostInstance(customer, row.id)))
    assert.lengthOf(
      answers.filter(({ status }) => status === 'fulfilled'),
      1
    )
    assert.equal(configOf(row)['limits.cpu'], '4')
    assert.equal(configOf(row)['limits.memory'], `${512 * 1024 ** 2}B`)
    assert.isFalse(await endBoost(row.id))
    await assert.rejects(() => boostInstance(customer, row.id), /Boost Active For: \d+s/)

    // Simulates that the host's watchdog did not end this boost in time. `endBoosts` then restores the limits.
    const past = DateTime.utc().minus({ minutes: 5 })
    await ServerInstance.query().where('id', row.id).update({ boosted_until: past.toSQL() })
    await endBoosts()
    assert.equal(configOf(row)['limits.cpu'], '1')
    assert.equal(configOf(row)['limits.memory'], `${256 * 1024 ** 2}B`)
    await assert.rejects(() => boostInstance(customer, row.id), /Boost Available In: \d+s/)
  })

  test('a Build Mode that the host rejects can be started again without a pause', async ({
    assert,
  }) => {
    const { row, customer } = await instanceIn('active')
    fake.state.instances.delete(row.systemId!)
    await assert.rejects(() => boostInstance(customer, row.id), /Your boost was not used/)
    await row.refresh()
    assert.isNull(row.boostAvailableAt)
  })

  test('older instances get the isolation settings, and share user ids if the host has none left', async ({
    assert,
  }) => {
    /**
     * Returns the config of a container on a host that has `size` user ids, from 100000. Incus gives the container the
     * ids from 165536.
     */
    const range = (size: number) => ({
      'volatile.idmap.next': JSON.stringify([{ Hostid: 100_000, Nsid: 0, Maprange: size }]),
      'volatile.idmap.base': '165536',
    })
    const [wide, narrow] = [(await instanceIn('active')).row, (await instanceIn('active')).row]
    Object.assign(configOf(wide), range(1_000_000))
    Object.assign(configOf(narrow), range(65_536))
    for (let round = 0; round < 2; round++) {
      await reconcileHost(host)
      for (const row of [wide, narrow]) {
        assert.equal(configOf(row)['limits.processes'], '512')
        assert.equal(configOf(row)['security.guestapi'], 'false')
      }
      assert.equal(configOf(wide)['security.idmap.isolated'], 'true')
      assert.equal(configOf(narrow)['security.idmap.isolated'], 'false')
    }
  })

  test('if nothing differs, a run needs one request per host', async ({ assert }) => {
    const rows = [
      await instanceIn('active'),
      await instanceIn('active'),
      await instanceIn('active'),
    ]
    await reconcileHost(host)
    const settled = fake.requestCount
    await reconcileHost(host)
    assert.equal(fake.requestCount - settled, 1)
    // Only an instance that differs causes further requests.
    const [changed] = rows.map(({ row }) => row)
    configOf(changed)['limits.memory'] = '1GiB'
    await reconcileHost(host)
    assert.equal(configOf(changed)['limits.memory'], `${256 * 1024 ** 2}B`)
    assert.isBelow(fake.requestCount - settled, 10)
  })

  test('a restored container gets its ports and disk size again, with any restore tool', async ({
    assert,
  }) => {
    const { row } = await instanceIn('stopped', { running: false })
    const { instance } = fake.state.instances.get(row.systemId!)!
    await row.merge({ ip: '127.0.0.1', privateIp: '10.0.0.9' }).save()
    const forward = { type: 'proxy', listen: 'tcp:0.0.0.0:20999', connect: 'tcp:127.0.0.1:80' }
    const restore = async (change: Record<string, string>) => {
      Object.assign(configOf(row), change)
      instance.devices = {
        root: { type: 'disk', path: '/', pool: 'default', size: String(1024 ** 3) },
        'port-80': forward,
        'port-edge-943': forward,
      }
      await reconcileHost(host)
      return [Object.keys(instance.devices), instance.devices.root!.size]
    }
    const asRecorded = [['root'], String(row.diskBytes)]
    Object.assign(configOf(row), {
      'volatile.uuid.generation': 'first',
      'user.berth.applied': 'created',
    })
    // The container is new and not restored: its devices stay, and its generation is recorded.
    assert.notDeepEqual(await restore({}), asRecorded)
    assert.equal(configOf(row)['user.berth.applied'], 'first')
    assert.deepEqual(await restore({ 'user.berth.applied': 'restored' }), asRecorded)
    assert.notDeepEqual(await restore({}), asRecorded)
    // Simulates a snapshot restore or a copy with Incus's own tools.
    assert.deepEqual(await restore({ 'volatile.uuid.generation': 'second' }), asRecorded)
    const entries = () =>
      db
        .from('audit_entries')
        .where({ action: 'instance.found_restored', subject_id: String(row.id) })
    assert.lengthOf(await entries(), 2)
    // A container from a backup of an earlier release has no `user.berth.applied`. It counts as restored, without
    // another entry in the audit log.
    delete configOf(row)['user.berth.applied']
    assert.deepEqual(await restore({}), asRecorded)
    assert.lengthOf(await entries(), 2)
    // A container with another name than the recorded one is a copy, to which no settings are applied.
    instance.config['volatile.uuid.generation'] = 'copied'
    await row.merge({ systemId: 'original' }).save()
    await reconcileHost(host)
    assert.equal(instance.config['user.berth.applied'], 'second')
    await row.merge({ systemId: instance.name }).save()
    await reconcileHost(host)
    assert.equal(instance.config['user.berth.applied'], 'copied')
    const asked = fake.requestCount
    await reconcileHost(host)
    assert.equal(fake.requestCount - asked, 1)
  })

  test('a part that cannot be applied to a restored container does not block others', async ({
    assert,
    cleanup,
  }) => {
    const { row } = await instanceIn('stopped', { running: false })
    const { instance } = fake.state.instances.get(row.systemId!)!
    const listener = createServer().listen(0, '127.0.0.1')
    cleanup(() => void listener.close())
    await once(listener, 'listening')
    const { port: taken } = listener.address() as AddressInfo
    const ports = { http: taken, 8080: 20_998 }
    await row.merge({ ip: '127.0.0.1', privateIp: '10.0.0.9', ports }).save()
    instance.devices.root = { type: 'disk', path: '/', pool: 'default', size: '1' }
    Object.assign(configOf(row), {
      'volatile.uuid.generation': 'first',
      'user.berth.applied': 'restored',
      'user.berth.applied.at': '2026-11-20T10:00:00.000Z',
    })
    const state = async () => {
      await reconcileHost(host)
      const open = { host_instance_id: host.id, kind: 'not_applied', gone_at: null }
      const entries = await db
        .from('audit_entries')
        .whereLike('action', 'instance.found_restored%')
        .where('subject_id', String(row.id))
        .orderBy('id')
      return {
        devices: Object.keys(instance.devices).sort(),
        mark: configOf(row)['user.berth.applied'],
        findings: (await db.from('compute_findings').where(open)).map(({ words }) => words),
        entries: entries.map(({ action }) => action),
      }
    }
    for (let round = 0; round < 2; round++) {
      const { devices, mark, findings, entries } = await state()
      assert.deepEqual(devices, ['port-8080', 'root'])
      assert.equal(mark, 'first certain ports')
      assert.lengthOf(findings, 1)
      assert.include(
        findings[0],
        `ports (port ${taken}: another program or container on the host uses it)`
      )
      assert.deepEqual(entries, ['instance.found_restored_partly'])
    }
    assert.equal(instance.devices.root.size, String(row.diskBytes))
    const servers = db.from('web_servers').where('server_instance_id', row.id)
    const [{ version }] = await servers.clone()
    assert.equal(version, 'restored 2026-11-20T10:00:00.000Z')
    // While the part `sites` is pending, `user.berth.applied.at` must not change, because that part needs the old time.
    // Other pending parts do not prevent the change.
    const moved = '2026-11-21T10:00:00.000Z'
    const move = async (mark: string) => {
      configOf(row)['user.berth.applied'] = mark
      await saveProjectRecordsAppliedAt(row, async () => DateTime.fromISO(moved))
      return configOf(row)['user.berth.applied.at']
    }
    for (const mark of ['restored', 'first certain sites', 'first certain ports sites'])
      assert.equal(await move(mark), '2026-11-20T10:00:00.000Z', mark)
    assert.equal(await move('first certain ports'), moved)
    // After the port is free, only the failed part is repeated, so `web_servers` gets no new row.
    await servers.clone().delete()
    listener.close()
    const { devices, mark, findings, entries } = await state()
    assert.deepEqual(devices, ['port-8080', 'port-http', 'root'])
    assert.equal(mark, 'first')
    assert.equal(configOf(row)['user.berth.applied.at'], moved)
    assert.deepEqual(findings, [])
    assert.deepEqual(entries, ['instance.found_restored_partly', 'instance.found_restored'])
    assert.lengthOf(await servers, 0)
  })

  test('a copied container is reported, and does not affect the instance', async ({ assert }) => {
    const { row } = await instanceIn('active')
    const { row: gone } = await instanceIn('deleted')
    await reconcileHost(host)
    const copies: string[] = []
    for (const { id, systemId } of [row, gone]) {
      const name = `${systemId}-copy`
      const config = { ...configOf(row), ...(await instanceLabels(id)) }
      config['user.berth.memory.full'] = new Date().toISOString()
      await (
        await incusClientFor(host).instances.create({ name, image: 'berth-base', config })
      ).wait()
      copies.push(name)
    }
    await reconcileHost(host)
    await reconcileInstance(row.id, copies[0], incusClientFor(host))
    assert.equal((await row.refresh()).status, 'active')
    assert.isFalse(fake.state.instances.has(gone.systemId!))
    assert.containsSubset([...fake.state.instances.keys()], copies)
    const found = await listOpenDiscrepancies(host.id)
    assert.sameMembers(
      found.map(({ kind, system_id: name, server_instance_id: id }) => [kind, name, id].join(' ')),
      [`copy ${copies[0]} ${row.id}`, `copy ${copies[1]} ${gone.id}`]
    )
    const full = { action: 'instance.memory_full', subject_id: String(row.id) }
    assert.lengthOf(await db.from('audit_entries').where(full), 0)
  })

  test('Build Mode continues after a restore, also with a larger disk', async ({ assert }) => {
    const { row, customer } = await instanceIn('active')
    await reconcileHost(host)
    await boostInstance(customer, row.id)
    const { instance } = fake.state.instances.get(row.systemId!)!
    const boosted = { ...configOf(row) }
    const restored = { 'user.berth.applied': 'restored' }
    const root = { type: 'disk', path: '/', pool: 'default', size: '1' }
    // Restores two snapshots: one taken during this boost, and one taken before it.
    const before = { ...restored, 'limits.cpu': '1', 'user.berth.boost.until': '' }
    for (const change of [restored, before]) {
      Object.assign(configOf(row), change)
      instance.devices = { root: { ...root } }
      await reconcileHost(host)
      for (const key of ['limits.cpu', 'limits.memory', 'user.berth.boost.until'])
        assert.equal(configOf(row)[key], boosted[key], key)
      assert.equal(instance.devices.root!.size, String(row.diskBytes))
    }
  })

  test('a host that joined a cluster is reported', async ({ assert }) => {
    const { row } = await instanceIn('active')
    const { instance } = fake.state.instances.get(row.systemId!)!
    const clusters = async () => {
      await reconcileHost(host)
      const open = { host_instance_id: host.id, kind: 'cluster', gone_at: null }
      return db.from('compute_findings').where(open).select('words')
    }
    assert.lengthOf(await clusters(), 0)
    instance.location = 'rack-2'
    const [{ words }] = await clusters()
    assert.include(words, 'This Incus is in a cluster (rack-2).')
    instance.location = 'none'
    assert.lengthOf(await clusters(), 0)
  })

  test('starts and stops outside Berth are detected', async ({ assert }) => {
    const off = (await instanceIn('active', { running: false })).row
    const on = (await instanceIn('stopped')).row
    const forbidden = (await instanceIn('suspended')).row
    await reconcileHost(host)
    assert.equal((await off.refresh()).status, 'stopped')
    assert.equal((await on.refresh()).status, 'active')
    assert.equal(fake.state.instances.get(forbidden.systemId!)!.instance.status, 'Stopped')
  })

  test('an instance that restarts repeatedly stays off after Stop', async ({ assert }) => {
    const { row } = await instanceIn('active', { running: false })
    const incus = incusClientFor(host)
    const { instance } = fake.state.instances.get(row.systemId!)!
    configOf(row)['boot.autorestart'] = 'true'
    // Incus had read the old setting before Berth changed it, so it starts the instance a moment later.
    setTimeout(() => (instance.status = 'Running'), 700)
    await stopContainer(incus, row.systemId!, { force: true })
    assert.equal(instance.status, 'Stopped')
    assert.equal(configOf(row)['boot.autorestart'], 'false')

    await row.merge({ status: 'stopped' }).save()
    for (let round = 0; round < 2; round++) await reconcileHost(host)
    assert.equal(configOf(row)['boot.autorestart'], 'false')
    assert.equal((await row.refresh()).status, 'stopped')
    await startContainer(incus, row.systemId!)
    assert.equal(configOf(row)['boot.autorestart'], 'true')
  })

  test('a suspended instance that runs is stopped and not restarted', async ({ assert }) => {
    const { row } = await instanceIn('suspended')
    configOf(row)['boot.autorestart'] = 'true'
    await reconcileHost(host)
    assert.equal(fake.state.instances.get(row.systemId!)!.instance.status, 'Stopped')
    assert.equal(configOf(row)['boot.autorestart'], 'false')
  })

  test('an instance that cannot be corrected does not block others', async ({ assert }) => {
    const { row: stubborn } = await instanceIn('suspended')
    const { row: off } = await instanceIn('active', { running: false })
    const name = uniqueName('fail-stop')
    const made = fake.state.instances.get(stubborn.systemId!)!
    made.instance.name = name
    const { instances } = fake.state
    instances.delete(stubborn.systemId!)
    // Put the stubborn container first in the host's list.
    const others = [...instances]
    instances.clear()
    for (const [key, each] of [[name, made] as const, ...others]) instances.set(key, each)
    await stubborn.merge({ systemId: name }).save()
    await reconcileHost(host)
    assert.equal((await off.refresh()).status, 'stopped')
    const [{ kind, words }] = await listOpenDiscrepancies(host.id)
    assert.equal(kind, 'not_corrected')
    assert.include(words, `(${name}) differs from its record`)
  })

  test('an event of a host updates the instance without a comparison of the whole host', async ({
    assert,
    cleanup,
  }) => {
    const ending = new AbortController()
    cleanup(() => ending.abort())
    const { row } = await instanceIn('active')
    const { row: other } = await instanceIn('active')
    await watchHostEvents(ending.signal)
    // The event connection breaks, as when Incus restarts. The next run of the schedule connects
    // again.
    fake.dropConnections()
    await eventually(async () => {
      await watchHostEvents(ending.signal)
      await (
        await incusClientFor(host).instances.setState(row.systemId!, 'stop')
      )
        .wait()
        .catch(() => {})
      const event = { type: 'lifecycle', timestamp: '', metadata: {} } as const
      const source = `/1.0/instances/${row.systemId}`
      fake.emit({ ...event, metadata: { action: 'instance-shutdown', source } })
      await eventually(async () => {
        assert.equal((await row.refresh()).status, 'stopped')
      }, 5_000)
    })
    assert.equal((await other.refresh()).status, 'active')
  })

  test('only containers of deleted instances are deleted, and unknown ones are reported', async ({
    assert,
  }) => {
    const leftover = (await instanceIn('deleted')).row
    const gone = (await instanceIn('active')).row
    fake.state.instances.delete(gone.systemId!)
    const stranger = uniqueName('stranger')
    await (
      await incusClientFor(host).instances.create({ name: stranger, image: 'berth-base' })
    ).wait()
    const elsewhere = uniqueName('elsewhere')
    await (
      await incusClientFor(host).instances.create({
        name: elsewhere,
        image: 'berth-base',
        config: { 'user.berth.installation': 'another', 'user.berth.instance': '1' },
      })
    ).wait()
    await reconcileHost(host)
    assert.isFalse(fake.state.instances.has(leftover.systemId!))
    assert.isTrue(fake.state.instances.has(stranger))
    assert.isTrue(fake.state.instances.has(elsewhere))
    const found = await listOpenDiscrepancies(host.id)
    assert.sameMembers(
      found.map(({ kind, system_id: name }) => `${kind} ${name}`),
      [`unrecorded ${stranger}`, `missing ${gone.systemId}`]
    )
    // Each discrepancy is reported once, and closed when it is gone.
    fake.state.instances.delete(stranger)
    await reconcileHost(host)
    assert.lengthOf(await listOpenDiscrepancies(host.id), 1)
  })

  test('a container that appears after the timeout is adopted', async ({ assert }) => {
    const restore = await disableOtherHosts()
    await HostInstance.query().where('id', host.id).update({ status: 'active' })
    const machines = new FakeSshServers(fake)
    const customer = await actorOf(await makeCustomer())
    const { id } = await createSmallPackage('shared')
    const { instance, operation } = await orderInstance(customer, {
      name: uniqueName('late'),
      instanceType: 'shared',
      serverPackageId: id,
      billingPeriod: 'month',
    })
    // Sets the state that the operation has after Incus took longer than the step's timeout.
    const steps = operation.steps.map((step) => ({
      ...step,
      status: step.key === 'create' ? ('failed' as const) : step.status,
    }))
    await operation.merge({ status: 'failed', steps, endedAt: DateTime.utc() }).save()
    const name = await incusNameOf(instance.id)
    await instance.merge({ status: 'failed', statusReason: 'slow', systemId: name }).save()
    await reconcileHost(host)
    assert.equal((await instance.refresh()).status, 'failed')
    const config = await instanceLabels(instance.id)
    const { instances } = incusClientFor(host)
    await (await instances.create({ name, image: 'berth-base', config })).wait()
    // Simulates that a restored database used an id a second time: the container belongs to a later order than the
    // row.
    const later = instance.createdAt.plus({ hours: 1 })
    await instances.patch(name, { config: orderTimeLabel({ createdAt: later }) })
    await reconcileHost(host)
    const [refused] = await listOperationsOfSubject('server_instance', instance.id)
    await runSteps(refused.id)
    assert.match((await refused.refresh()).error ?? '', /was created for another order/)
    assert.equal((await instance.refresh()).status, 'failed')
    await instances.patch(name, { config: orderTimeLabel(instance) })
    await reconcileHost(host)
    const [adopting] = await listOperationsOfSubject('server_instance', instance.id)
    assert.notEqual(adopting.id, operation.id)
    await runSteps(adopting.id)
    assert.equal((await instance.refresh()).status, 'active')
    assert.equal(fake.state.instances.size, 1)
    assert.lengthOf(await db.from('port_leases').where('server_instance_id', instance.id), 0)
    await machines.stop()
    await restore()
  })
})
