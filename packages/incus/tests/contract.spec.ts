import { text } from 'node:stream/consumers'
import { test } from '@japa/runner'
import { isIncusError } from '../main.ts'
import type { Incus, IncusErrorKind } from '../main.ts'
import { contractTargets, uniqueName } from './targets.ts'

const IMAGE_ALIAS = 'berth-base'

async function kindOf(work: Promise<unknown>): Promise<IncusErrorKind | 'none' | 'foreign'> {
  try {
    await work
    return 'none'
  } catch (error) {
    return isIncusError(error) ? error.kind : 'foreign'
  }
}

async function remove(incus: Incus, name: string): Promise<void> {
  const found = await incus.instances.get(name).catch(() => null)
  if (!found) return
  if (found.status !== 'Stopped') {
    await (await incus.instances.setState(name, 'stop', { force: true })).wait(300)
  }
  await (await incus.instances.delete(name)).wait(300)
}

for (const target of contractTargets) {
  test.group(`Incus client | ${target.name}`, (group) => {
    if (target.skip) {
      test(`contract on ${target.name}`, () => {}).skip(true, target.skip)
      return
    }

    let incus: Incus
    let close: () => Promise<void>
    let name: string
    group.each.timeout(900_000)
    group.setup(async () => {
      ;({ incus, close } = await target.open())
      name = uniqueName('contract')
      const wanted = { name, image: IMAGE_ALIAS, config: { 'user.kind': 'contract' }, start: true }
      await (await incus.instances.create(wanted)).wait(300)
      return async () => {
        await remove(incus, name)
        await close()
      }
    })

    test('returns a description of the server', async ({ assert }) => {
      const info = await incus.info()
      assert.equal(info.auth, 'trusted')
      const { cpu, memory } = await incus.resources()
      assert.isAbove(cpu.total, 0)
      assert.isAbove(memory.total, 0)
      assert.isAbove((await incus.storagePools.resources('berth')).space.total, 0)
      assert.isAbove((await incus.cluster.memberState('none')).sysinfo.total_ram, 0)
    })

    test('finds instances, and returns null or an error for missing ones', async ({ assert }) => {
      const listed = (await incus.instances.list()).find((instance) => instance.name === name)
      assert.equal(listed?.config['user.kind'], 'contract')
      assert.equal((await incus.instances.get(name)).status, 'Running')
      assert.equal(await kindOf(incus.instances.get('no-such-instance')), 'not_found')
      assert.isNull(await incus.images.byAlias('no-such-image'))
      assert.isNotNull(await incus.images.byAlias(IMAGE_ALIAS))
    })

    test('rejects a second instance with the same name', async ({ assert }) => {
      const again = incus.instances
        .create({ name, image: IMAGE_ALIAS })
        .then((operation) => operation.wait(300))
      assert.equal(await kindOf(again), 'conflict')
    })

    test('a write with an outdated etag fails', async ({ assert }) => {
      const { etag } = await incus.instances.getWithEtag(name)
      await incus.instances.patch(name, { config: { 'user.a': '1' } }, etag)
      const stale = incus.instances.patch(name, { config: { 'user.a': '2' } }, etag)
      assert.equal(await kindOf(stale), 'stale')
      const { config } = await incus.instances.get(name)
      assert.equal(config['user.a'], '1')
      assert.equal(config['user.kind'], 'contract')
    })

    test('runs programs with separate output streams', async ({ assert }) => {
      const script = 'echo out; echo err >&2; exit 3'
      const result = await incus.instances.exec(name, ['sh', '-c', script])
      assert.equal(result.exitCode, 3)
      assert.equal(result.stdout.toString(), 'out\n')
      assert.equal(result.stderr.toString(), 'err\n')
      const spaced = await incus.instances.exec(name, ['echo', 'a  b', '$HOME', "'"])
      assert.equal(spaced.stdout.toString(), "a  b $HOME '\n")
    })

    test('passes input, environment and folder to a program', async ({ assert }) => {
      const stdin = Buffer.alloc(300_000, 'x')
      const echoed = await incus.instances.exec(name, ['cat'], { stdin })
      assert.isTrue(echoed.stdout.equals(stdin))
      const env = { GREETING: 'hello' }
      const seen = await incus.instances.exec(name, ['printenv', 'GREETING'], { env })
      assert.equal(seen.stdout.toString(), 'hello\n')
      const folder = await incus.instances.exec(name, ['pwd'], { cwd: '/tmp' })
      assert.equal(folder.stdout.toString(), '/tmp\n')
    })

    test('kills a program that exceeds its timeout', async ({ assert }) => {
      const late = incus.instances.exec(name, ['sleep', '600'], { timeout: 1 })
      assert.equal(await kindOf(late), 'timed_out')
      const streams = await incus.instances.execStreams(name, ['sleep', '600'])
      streams.stdin.end()
      streams.kill(9)
      assert.equal(await streams.exit, 137)
    })

    test('opens a terminal, resizes it and notices when its program ends', async ({ assert }) => {
      const shell = await incus.instances.shell(name, ['/bin/sh'], { cols: 80, rows: 24 })
      shell.resize(100, 40)
      let shown = ''
      const resized = new Promise<void>((resolve) => {
        shell.stream.on('data', (chunk: Buffer) => {
          shown += chunk.toString()
          if (/40 100/.test(shown)) return resolve()
          // Incus receives the new size over another connection, so the test requests the size until it is correct.
          if (/\d+ \d+\r\n/.test(shown)) {
            shown = ''
            shell.stream.write('stty size\n')
          }
        })
      })
      shell.stream.write('stty size\n')
      await resized
      shell.stream.write('exit 5\n')
      assert.equal(await shell.exit, 5)
    })

    test('pushes, pulls and deletes files', async ({ assert }) => {
      const folder = `/root/${uniqueName('files')}`
      const path = `${folder}/naïve file.txt`
      await incus.instances.makeDirectory(name, folder)
      await incus.instances.pushFile(name, path, 'content', { uid: 1000, gid: 1000, mode: '0640' })
      const file = await incus.instances.pullFile(name, path)
      if (file.type !== 'file') throw new Error(`pulled a ${file.type}`)
      assert.equal(await text(file.content), 'content')
      assert.deepEqual([file.uid, file.gid, file.mode], [1000, 1000, '0640'])
      const listing = await incus.instances.pullFile(name, folder)
      assert.deepEqual(listing.type === 'directory' && listing.entries, ['naïve file.txt'])
      await incus.instances.deleteFile(name, path)
      assert.equal(await kindOf(incus.instances.pullFile(name, path)), 'not_found')
    })

    test('reports the resource usage of instances', async ({ assert }) => {
      const metrics = (await incus.metrics()).find((each) => each.name === name)
      assert.isAbove(metrics!.memoryTotal, 0)
      assert.isAbove(metrics!.memoryUsed, 0)
      assert.isAtLeast(metrics!.cpuSeconds, 0)
      assert.isAbove((await incus.instances.state(name)).processes, 0)
    })

    test('stores network ACLs', async ({ assert }) => {
      const acl = uniqueName('acl')
      const egress = [
        { action: 'drop' as const, state: 'enabled' as const, destination: '192.0.2.9/32' },
      ]
      await incus.networks.setAcl({ name: acl, egress })
      await incus.networks.setAcl({ name: acl, egress: [] })
      const named = async () => (await incus.networks.acls()).find((each) => each.name === acl)
      assert.deepEqual((await named())?.egress, [])
      await incus.networks.deleteAcl(acl)
      assert.isUndefined(await named())
    })

    test('receives lifecycle events', async ({ assert }) => {
      const events = await incus.events(['lifecycle'])
      const other = uniqueName('heard')
      try {
        await (await incus.instances.create({ name: other, image: IMAGE_ALIAS })).wait(300)
        let heard = ''
        for await (const { metadata } of events) {
          if (!String(metadata.source).startsWith(`/1.0/instances/${other}`)) continue
          heard = String(metadata.action)
          break
        }
        assert.equal(heard, 'instance-created')
      } finally {
        events.close()
        await remove(incus, other)
      }
    })

    test('stops, renames, starts and deletes an instance', async ({ assert }) => {
      const [first, second] = [uniqueName('first'), uniqueName('second')]
      try {
        await (
          await incus.instances.create({ name: first, image: IMAGE_ALIAS, start: true })
        ).wait(300)
        const early = incus.instances.rename(first, second).then((made) => made.wait(300))
        assert.notEqual(await kindOf(early), 'none')
        await (await incus.instances.setState(first, 'stop', { force: true })).wait(300)
        await (await incus.instances.rename(first, second)).wait(300)
        const operation = await incus.instances.setState(second, 'start')
        await incus.operation(operation.id).wait(300)
        assert.equal((await incus.instances.state(second)).status, 'Running')
      } finally {
        await remove(incus, first)
        await remove(incus, second)
      }
      assert.equal(await kindOf(incus.instances.get(second)), 'not_found')
    })
  })
}
