import { test } from '@japa/runner'
import { importInstanceFromBackup } from '../backup/commands.js'
import type { Restic } from '../backup/restic.js'
import { FakeIncus } from '../../packages/incus/fake.js'
import { Incus } from '../../packages/incus/main.js'

test.group('Backup | restored instances', () => {
  test('a restored instance is removed if its configuration would give its root user access to the host', async ({
    assert,
    cleanup,
  }) => {
    const fake = await FakeIncus.start()
    const incus = Incus.local(fake.socketPath)
    cleanup(async () => {
      await incus.close()
      await fake.stop()
    })
    const at = '2026-11-20T10:00:00.000Z'
    const snapshot = { id: 'one', tags: { name: 'c1', at }, time: '' }
    const image = { type: 'image', alias: 'berth-base' }
    /** Imports a backup with this configuration. The fake Incus reads the exported JSON and creates the instance. */
    const restore = (made: object) => {
      const dump = async (_id: string, _path: string, to: NodeJS.WritableStream) => {
        to.write(JSON.stringify({ name: 'c1', source: image, ...made }))
      }
      return importInstanceFromBackup(incus, { dump } as unknown as Restic, snapshot)
    }
    const disk = { type: 'disk', source: '/', path: '/host' }
    const door = { type: 'proxy', bind: 'instance', connect: 'unix:/run/incus/unix.socket' }
    for (const made of [
      { config: { 'security.privileged': 'true' } },
      { config: { 'raw.lxc': 'lxc.hook.pre-start=/bin/true' } },
      { devices: { host: disk } },
      { devices: { door } },
    ]) {
      await assert.rejects(() => restore(made), /c1 was not restored/)
      assert.equal(fake.state.instances.size, 0)
    }
    await restore({ config: { 'limits.cpu': '1' } })
    assert.deepEqual([...fake.state.instances.keys()], ['c1'])

    // Backups of earlier releases do not contain the time up to which project deletions were applied. For these, the
    // time of the backup is used.
    const configNow = () => fake.state.instances.get('c1')!.instance.config
    const mark = { 'user.berth.applied': 'restored', 'user.berth.applied.at': at }
    assert.containsSubset(configNow(), mark)
    fake.state.instances.clear()
    const earlier = { 'user.berth.applied.at': '2026-11-19T10:00:00.000Z' }
    await restore({ config: { 'user.berth.applied': 'id', ...earlier } })
    assert.containsSubset(configNow(), { ...mark, ...earlier })
  })
})
