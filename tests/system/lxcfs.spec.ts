import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { ensureLxcfs } from '../../cli/host/incus_daemon.ts'
import { runForOutput } from '../../cli/host/run_for_output.ts'

const able = process.getuid?.() === 0 && existsSync('/dev/fuse') && existsSync('/usr/bin/lxcfs')

const report = (line: string) => {
  throw new Error(line)
}

test.group('Host | lxcfs', () => {
  test('is mounted again after it was killed', async ({ assert, cleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-lxcfs-'))
    const mount = join(folder, 'mount')
    const pid = async () => Number(await readFile(join(folder, 'lxcfs.pid'), 'utf8'))
    cleanup(async () => {
      process.kill(await pid(), 'SIGKILL')
      await runForOutput('umount', ['-l', mount])
      await runForOutput('rm', ['-r', '--', folder])
    })

    await ensureLxcfs(folder, report, mount)
    const first = await pid()
    await ensureLxcfs(folder, report, mount)
    assert.equal(await pid(), first, 'one that answers is left alone')

    process.kill(first, 'SIGKILL')
    while (existsSync(join(mount, 'proc', 'meminfo'))) await new Promise(setImmediate)
    await ensureLxcfs(folder, report, mount)
    assert.notEqual(await pid(), first)
    assert.match(await readFile(join(mount, 'proc', 'meminfo'), 'utf8'), /^MemTotal:/)
    const write = () => open(join(mount, 'proc', 'uptime'), 'r+')
    await assert.rejects(write, /EROFS/)

    // Starts a writable lxcfs, as older versions of Berth and other programs do, and mounts it as an instance would.
    process.kill(await pid(), 'SIGKILL')
    await runForOutput('umount', ['-l', mount])
    spawn('lxcfs', ['--foreground', '--pidfile', join(folder, 'lxcfs.pid'), mount])
    while (!existsSync(join(mount, 'proc', 'meminfo'))) await new Promise(setImmediate)
    await (await write()).close()
    const instance = join(folder, 'instance')
    await mkdir(instance)
    await runForOutput('mount', ['--bind', join(mount, 'proc'), instance])
    cleanup(async () => void (await runForOutput('umount', ['-l', instance])))
    await ensureLxcfs(folder, report, mount)
    await assert.rejects(write, /EROFS/)
    await assert.rejects(() => open(join(instance, 'uptime'), 'r+'), /EROFS/)
    await runForOutput('mount', ['-o', 'remount,bind,rw', instance])
    await assert.rejects(() => open(join(instance, 'uptime'), 'r+'), /EROFS/)
    assert.match(await readFile(join(instance, 'meminfo'), 'utf8'), /^MemTotal:/)
  }).skip(!able, 'needs root, /dev/fuse and lxcfs')
})
