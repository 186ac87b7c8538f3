import { listOperationsOfSubject } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import { removeHost } from '#hosts/actions/manage_hosts'
import { INSTALLATION_CONFIG_KEY, watchdogContainerName } from '#hosts/installation_identity'
import { checkHost } from '#hosts/check_host'
import type HostInstance from '#hosts/models/host_instance'
import type { FakeIncus } from '#packages/incus/fake'
import { createClientCertificate, Incus, isolateTenants, TENANT_ACL } from '#packages/incus/main'
import { createFakeHost, startFakeHost } from '#tests/support/hosts'
import { actorOf, makeStaff } from '#tests/support/people'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

test.group('Removal of hosts', (group) => {
  failOnSecondConnections(group)
  let fake: FakeIncus
  let host: HostInstance

  group.each.setup(async () => {
    const { cert, key } = createClientCertificate('berth')
    const started = await startFakeHost({ change: { clientCertificate: cert, clientKey: key } })
    ;({ fake, host } = started)
    return started.stop
  })

  test("accesses Incus only after the commit, and deletes Berth's resources there despite interruptions", async ({
    assert,
  }) => {
    const incus = Incus.local(fake.socketPath)
    await (
      await incus.instances.create({ name: await watchdogContainerName(), image: 'berth-base' })
    ).wait(30)
    await incus.close()
    const before = fake.requestCount
    const { name } = host
    await removeHost(await actorOf(await makeStaff()), host.id, name)
    assert.equal(fake.requestCount, before)
    await host.refresh()
    assert.equal(host.status, 'deleted')
    assert.notEqual(host.name, name)
    assert.isNotNull(host.clientKey)

    const [leaving] = await listOperationsOfSubject('host_instance', host.id)
    assert.equal(leaving.title, `Removing Berth from ${name}`)
    await runSteps(leaving.id, AbortSignal.abort())
    assert.lengthOf(fake.state.instances, 1)
    await runSteps(leaving.id)
    assert.equal((await leaving.refresh()).status, 'done')
    assert.lengthOf(fake.state.instances, 0)
    assert.isNull((await host.refresh()).clientKey)
  })

  test('removes containers and rules from a host that is offline but responds', async ({
    assert,
  }) => {
    const incus = Incus.local(fake.socketPath)
    const create = async (name: string, config: Record<string, string> = {}) =>
      (await incus.instances.create({ name, image: 'berth-base', config })).wait(30)
    await create(await watchdogContainerName())
    await create('other-installation', { [INSTALLATION_CONFIG_KEY]: 'another' })
    await isolateTenants(incus, 'incusbr0')
    const rules = () => fake.state.networks.get('incusbr0')!.config['security.acls']
    fake.state.warnings = [
      { status: 'new', type: "Couldn't find the CGroup pids controller", last_message: '' },
    ]
    assert.equal(await checkHost(host), 'offline')
    const remove = async (removed: HostInstance) => {
      await removeHost(await actorOf(await makeStaff()), removed.id, removed.name)
      const [leaving] = await listOperationsOfSubject('host_instance', removed.id)
      await runSteps(leaving.id)
      return leaving.refresh()
    }
    assert.equal((await remove(host)).status, 'done')
    assert.deepEqual([...fake.state.instances.keys()], ['other-installation'])
    // The rules stay, because the containers of the other installation still need them.
    assert.equal(rules(), TENANT_ACL)

    await (await incus.instances.delete('other-installation')).wait(30)
    await incus.close()
    const again = await createFakeHost(fake)
    await remove(again)
    assert.equal(rules(), '')
    assert.isFalse(fake.state.acls.has(TENANT_ACL))
  })

  test('an unreachable host is removed too, its key is deleted, and the operation shows which objects remain on it', async ({
    assert,
    cleanup,
  }) => {
    const actor = await actorOf(await makeStaff())
    const machineId = randomUUID()
    const own = host.machineId
    await db.table('machines').insert({ id: machineId, name: machineId })
    cleanup(async () => {
      await db.from('host_instances').where('id', host.id).update({ machine_id: own })
      await db.from('machines').where('id', machineId).delete()
    })
    // Only another control machine can reach the host.
    await host.merge({ status: 'offline', machineId }).save()
    await removeHost(actor, host.id, host.name)
    assert.isNull((await host.refresh()).clientKey)
    assert.lengthOf(await listOperationsOfSubject('host_instance', host.id), 0)

    const other = await createFakeHost(fake, {
      clientKey: 'a key',
      incusUrl: 'unix:/nowhere/at.all',
      status: 'offline',
    })
    await removeHost(actor, other.id, other.name)
    const [leaving] = await listOperationsOfSubject('host_instance', other.id)
    await runSteps(leaving.id)
    assert.equal((await leaving.refresh()).status, 'done')
    assert.match(leaving.steps[0].note!, /^Skipped. It remains on the host, because: /)
    assert.isNull((await other.refresh()).clientKey)
  })
})
