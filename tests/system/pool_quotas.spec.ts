import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from '@japa/runner'
import { recountIfLost } from '../../cli/host/pool_quotas.ts'

const run = promisify(execFile)
const able =
  process.getuid?.() === 0 && existsSync('/dev/loop-control') && existsSync('/sys/fs/btrfs')

test.group('Host | disk limits', () => {
  test('are counted again when btrfs has lost count', async ({ assert }) => {
    const folder = await mkdtemp(join(tmpdir(), 'quotas-'))
    const [image, pool] = [join(folder, 'pool.img'), join(folder, 'pool')]
    await mkdir(pool)
    await writeFile(image, '')
    await truncate(image, 256 * 1024 ** 2)
    await run('mkfs.btrfs', ['-q', image])
    await run('mount', ['-o', 'loop', image, pool])
    try {
      await run('btrfs', ['quota', 'enable', pool])
      await run('btrfs', ['quota', 'rescan', '-w', pool])
      assert.isFalse(await recountIfLost(pool))
      // The kernel loses count by races that cannot be had at will: its words are put in its place.
      const { stdout } = await run('btrfs', ['filesystem', 'show', pool])
      const uuid = /uuid: (\S+)/.exec(stdout)![1]!
      const sysfs = join(folder, 'sysfs')
      assert.isTrue(existsSync(`/sys/fs/btrfs/${uuid}/qgroups/inconsistent`))
      await mkdir(join(sysfs, uuid, 'qgroups'), { recursive: true })
      await writeFile(join(sysfs, uuid, 'qgroups', 'inconsistent'), '1\n')
      assert.isTrue(await recountIfLost(pool, sysfs))
    } finally {
      await run('umount', ['-l', pool])
      await rm(folder, { recursive: true, force: true })
    }
  })
    .skip(!able, 'needs root and loop devices')
    .timeout(120_000)
})
