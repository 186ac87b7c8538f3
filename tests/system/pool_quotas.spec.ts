import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from '@japa/runner'
import { NestedSubvolumeLimits, rescanQuotasIfInconsistent } from '../../cli/host/pool_quotas.ts'

const run = promisify(execFile)
const BYTES_PER_MIB = 1024 ** 2
const able =
  process.getuid?.() === 0 && existsSync('/dev/loop-control') && existsSync('/sys/fs/btrfs')

test.group('Host | disk limits', (group) => {
  let folder: string
  let pool: string

  group.setup(async () => {
    if (!able) return
    folder = await mkdtemp(join(tmpdir(), 'quotas-'))
    const image = join(folder, 'pool.img')
    pool = join(folder, 'pool')
    await mkdir(pool)
    await writeFile(image, '')
    await truncate(image, 256 * BYTES_PER_MIB)
    await run('mkfs.btrfs', ['-q', image])
    await run('mount', ['-o', 'loop', image, pool])
    await run('btrfs', ['quota', 'enable', pool])
    await run('btrfs', ['quota', 'rescan', '-w', pool])
  })
  group.teardown(async () => {
    if (!able) return
    await run('umount', ['-l', pool])
    await rm(folder, { recursive: true, force: true })
  })

  test('are rescanned when btrfs marked them inconsistent', async ({ assert }) => {
    assert.isFalse(await rescanQuotasIfInconsistent(pool))
    // The kernel's quotas become inconsistent only by races that a test cannot cause. A fake sysfs reports the
    // inconsistency.
    const { stdout } = await run('btrfs', ['filesystem', 'show', pool])
    const uuid = /uuid: (\S+)/.exec(stdout)![1]!
    const sysfs = join(folder, 'sysfs')
    assert.isTrue(existsSync(`/sys/fs/btrfs/${uuid}/qgroups/inconsistent`))
    await mkdir(join(sysfs, uuid, 'qgroups'), { recursive: true })
    await writeFile(join(sysfs, uuid, 'qgroups', 'inconsistent'), '1\n')
    assert.isTrue(await rescanQuotasIfInconsistent(pool, sysfs))
  }).skip(!able, 'needs root and loop devices')

  test('apply to subvolumes inside an instance, whatever their names', async ({ assert }) => {
    const subvolume = (...args: string[]) => run('btrfs', ['subvolume', ...args])
    await mkdir(join(pool, 'containers'))
    for (const name of ['one', 'other']) {
      await subvolume('create', join(pool, 'containers', name))
      await run('btrfs', ['qgroup', 'limit', '20M', join(pool, 'containers', name)])
    }
    const other = (
      await run('btrfs', ['inspect-internal', 'rootid', join(pool, 'containers/other')])
    ).stdout
    const outer = join(pool, 'containers/one/outer')
    await subvolume('create', outer)
    // The line break in this path forges a line of a btrfs listing. If it were believed, a neighbour would be limited
    // too.
    const evil = join(outer, `x\nID ${other.trim()} gen 9 parent 257 top level 5 path containers`)
    await subvolume('create', evil)
    const fits = async (path: string, size: number) => {
      await rm(join(path, 'file'), { force: true })
      await run('sync', ['-f', pool])
      return run('dd', ['if=/dev/urandom', `of=${path}/file`, `bs=1M`, `count=${size}`]).then(
        () => true,
        () => false
      )
    }
    assert.isTrue(await fits(evil, 30), 'before: nothing limits it')
    await rm(join(evil, 'file'))

    const nested = new NestedSubvolumeLimits(pool)
    assert.equal((await nested.limit()).get('one')?.count, 2)
    await run('btrfs', ['quota', 'rescan', '-w', pool])
    assert.isFalse(await fits(evil, 30))
    await rm(join(evil, 'file'))
    assert.isTrue(await fits(evil, 12))
    assert.isFalse(await fits(outer, 12), 'all of them share one limit')
    assert.isTrue(await fits(join(pool, 'containers/other'), 15))

    // When the instance's limit changes, so must the limit of its nested subvolumes. A new process uses the existing
    // quota groups.
    await run('btrfs', ['qgroup', 'limit', '60M', join(pool, 'containers/one')])
    const again = new NestedSubvolumeLimits(pool)
    const { count, bytes } = (await again.limit()).get('one')!
    assert.equal(count, 2)
    assert.isAtLeast(bytes, 12 * BYTES_PER_MIB)
    assert.isTrue(await fits(outer, 30))
    await subvolume('delete', '--commit-after', evil)
    await run('btrfs', ['subvolume', 'sync', pool])
    assert.equal((await again.limit()).get('one')?.count, 1)
  }).skip(!able, 'needs root and loop devices')
})
