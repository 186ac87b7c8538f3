import { listOperationsOfSubject } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import { removeHost } from '#hosts/actions/manage_hosts'
import { watchdogContainerName } from '#hosts/installation_identity'
import type HostInstance from '#hosts/models/host_instance'
import type { FakeIncus } from '#packages/incus/fake'
import { createClientCertificate, Incus } from '#packages/incus/main'
import { createFakeHost, startFakeHost } from '#tests/support/hosts'
import { actorOf, makeStaff } from '#tests/support/people'
import { failOnSecondConnections } from '#tests/support/fail_on_second_connections'
import { test } from '@japa/runner'

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

  test('also works for an unreachable host, whose key is deleted', async ({ assert }) => {
    const actor = await actorOf(await makeStaff())
    await host.merge({ status: 'offline' }).save()
    await removeHost(actor, host.id, host.name)
    assert.isNull((await host.refresh()).clientKey)
    assert.lengthOf(await listOperationsOfSubject('host_instance', host.id), 0)

    const other = await createFakeHost(fake, {
      clientKey: 'a key',
      incusUrl: 'unix:/nowhere/at.all',
    })
    await removeHost(actor, other.id, other.name)
    const [leaving] = await listOperationsOfSubject('host_instance', other.id)
    await runSteps(leaving.id)
    assert.equal((await leaving.refresh()).status, 'done')
    assert.isNull((await other.refresh()).clientKey)
  })
})
