import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { VaultError } from '../errors.js'
import { FolderBodyStorage } from '../store/folder_body_storage.js'

const run = promisify(execFile)
const BYTES_PER_MIB = 1_024 ** 2

test.group('Bodies stored as files', (group) => {
  let folder: string
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-bodies-'))
    return () => rm(folder, { recursive: true, force: true })
  })

  test('concurrent writes stop before they use the reserved disk space', async ({
    assert,
    cleanup,
  }) => {
    const disk = join(folder, 'disk')
    await mkdir(disk)
    await run('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', disk])
    cleanup(() => run('umount', ['-l', disk]).then(() => {}))
    const reserve = 48 * BYTES_PER_MIB
    const bodies = new FolderBodyStorage(disk, reserve)
    let leastFree = Infinity
    const slowly = async function* () {
      for (let at = 0; at < 40; at++) {
        yield Buffer.alloc(BYTES_PER_MIB)
        const { bavail, bsize } = await statfs(disk)
        leastFree = Math.min(leastFree, bavail * bsize)
        await wait(50)
      }
    }
    const outcomes = await Promise.all(
      [1, 2, 3, 4].map((body) =>
        bodies.write(body, slowly()).then(
          () => 'written',
          (error: unknown) => (error instanceof VaultError ? error.code : String(error))
        )
      )
    )
    assert.deepEqual(outcomes, ['full', 'full', 'full', 'full'])
    // The free space is measured every 100 ms, in which the four writes can store about 8 MB.
    assert.isAtLeast(leastFree, reserve - 16 * BYTES_PER_MIB)
    const left = await readdir(disk, { recursive: true, withFileTypes: true })
    assert.lengthOf(
      left.filter((entry) => entry.isFile()),
      0
    )
  })
})
