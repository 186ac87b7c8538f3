import { existsSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { ensureLxcfs } from '../../cli/host/incus_service.ts'
import { run } from '../../cli/host/run.ts'

const able = process.getuid?.() === 0 && existsSync('/dev/fuse') && existsSync('/usr/bin/lxcfs')

test.group('Host | lxcfs', () => {
  test('is mounted again after it was killed', async ({ assert, cleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-lxcfs-'))
    const mount = join(folder, 'mount')
    const pid = async () => Number(await readFile(join(folder, 'lxcfs.pid'), 'utf8'))
    cleanup(async () => {
      process.kill(await pid(), 'SIGKILL')
      await run('umount', ['-l', mount])
      await run('rm', ['-r', '--', folder])
    })

    await ensureLxcfs(folder, mount)
    const first = await pid()
    await ensureLxcfs(folder, mount)
    assert.equal(await pid(), first, 'one that answers is left alone')

    process.kill(first, 'SIGKILL')
    while (existsSync(join(mount, 'proc', 'meminfo'))) await new Promise(setImmediate)
    await ensureLxcfs(folder, mount)
    assert.notEqual(await pid(), first)
    assert.match(await readFile(join(mount, 'proc', 'meminfo'), 'utf8'), /^MemTotal:/)
  })
    .skip(!able, 'needs root, /dev/fuse and lxcfs')
    .timeout(60_000)
})
