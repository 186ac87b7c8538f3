import type HostInstance from '#hosts/models/host_instance'
import { incusClientFor } from '#hosts/public_effects'
import { incusNameOf, instanceLabels } from '#instances/containers/labels'
import type { ServerInstance } from '#instances/public'
import { scheduleWebServerUpdate, updateWebServer } from '#projects/schedules/update_web_servers'
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import { FakeIncus } from '#packages/incus/fake'
import { withUnreachableLocks } from '#tests/support/break_lock'
import { createFakeHost, retireHosts } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const RESTORED_AT = '2026-11-20T10:00:00.000Z'

test.group('Updates of web servers', (group) => {
  let fake: FakeIncus
  let host: HostInstance
  let instance: ServerInstance

  group.each.setup(async () => {
    fake = await FakeIncus.start()
    fake.onExec(() => ({ exitCode: 0 }))
    host = await createFakeHost(fake)
    const where = { hostInstanceId: host.id, ip: '127.0.0.1', privateIp: '10.0.0.9' }
    instance = await makeInstance(await makeCustomer(), { instanceType: 'regular', ...where })
    await instance.merge({ systemId: await incusNameOf(instance.id) }).save()
    const config = {
      ...(await instanceLabels(instance.id)),
      'user.berth.applied': 'created',
      'user.berth.applied.at': RESTORED_AT,
    }
    const created = { name: instance.systemId!, image: 'berth-base', start: true, config }
    await (await incusClientFor(host).instances.create(created)).wait()
    // Berth connects to shared instances through Incus, which the test fakes.
    instance.instanceType = 'shared'
    return async () => {
      await retireHosts(host)
      await fake.stop()
    }
  })

  const stored = () => db.from('web_servers').where('server_instance_id', instance.id).first()
  const appliedAt = () =>
    fake.state.instances.get(instance.systemId!)!.instance.config['user.berth.applied.at']

  test('an update that cannot get the lock ends, and no project gets an error', async ({
    assert,
  }) => {
    const project = await makeProject(instance, { previewPort: 42_001 })
    await withUnreachableLocks(() =>
      assert.rejects(() => updateWebServer(instance, 'test'), /does not answer/)
    )
    assert.isNull((await project.refresh()).siteError)
    assert.isNull((await stored()).version)
    await updateWebServer(instance, 'test')
    assert.equal((await stored()).version, `test ${host.id}`)
  })

  test('an update runs again if the same backup is restored a second time during it', async ({
    assert,
  }) => {
    const restore = () =>
      scheduleWebServerUpdate(instance, {
        isCertain: true,
        recordsAppliedAt: DateTime.fromISO(RESTORED_AT),
      })
    await restore()
    let isRestoredAgain = false
    fake.onExec(async () => {
      if (!isRestoredAgain) await restore()
      isRestoredAgain = true
      return null
    })
    await updateWebServer(instance, 'test')
    assert.isTrue(isRestoredAgain)
    const { version, tried_at: triedAt } = await stored()
    assert.deepEqual([version, Number(triedAt)], [`restored ${RESTORED_AT}`, 0])
    assert.equal(appliedAt(), RESTORED_AT)
    await updateWebServer(instance, 'test')
    assert.equal((await stored()).version, `test ${host.id}`)
    assert.notEqual(appliedAt(), RESTORED_AT)
  })
})
