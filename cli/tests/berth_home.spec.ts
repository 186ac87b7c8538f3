import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { claimLock, claimHome, openHome, processStartTime } from '../berth_home.js'

test.group('Berth home', (group) => {
  let path: string
  group.each.setup(async () => {
    path = await mkdtemp(join(tmpdir(), 'berth-home-'))
    return () => rm(path, { recursive: true, force: true })
  })

  test('secrets are generated once, and only their owner can read them', async ({ assert }) => {
    const { secrets } = await openHome(join(path, 'home'))
    for (const secret of Object.values(secrets)) assert.isAtLeast(secret.length, 32)
    assert.equal(new Set(Object.values(secrets)).size, Object.keys(secrets).length)
    const mode = async (file: string) => (await stat(join(path, 'home', file))).mode & 0o777
    assert.equal(await mode('secrets.json'), 0o600)
    assert.equal(await mode('logs'), 0o700)
    // Other users must not list the folder. If root owns it, they may go through it to folders inside.
    assert.equal((await mode('.')) & 0o066, 0)
    assert.deepEqual((await openHome(join(path, 'home'))).secrets, secrets)
  })

  test('if other users can read the folder, its permissions are restricted', async ({ assert }) => {
    await writeFile(join(path, 'secrets.json'), '{"appKey":"kept"}', { mode: 0o666 })
    const { secrets } = await openHome(path)
    assert.equal(secrets.appKey, 'kept')
    assert.equal((await stat(join(path, 'secrets.json'))).mode & 0o777, 0o600)
    assert.equal((await stat(path)).mode & 0o066, 0)
  })

  test('until a process releases the home, another process cannot claim the home and gets the PID of the first process', async ({
    assert,
  }) => {
    const giveBack = claimHome(path)
    assert.throws(() => claimHome(path), new RegExp(`already runs on .*process ${process.pid}`))
    giveBack()
    claimHome(path)()
  })

  test('the claim of a killed process does not count', async ({ assert }) => {
    const child = spawn('sleep', ['600'])
    await once(child, 'spawn')
    const file = join(path, 'berth.pid')
    await writeFile(file, `${child.pid} ${processStartTime(child.pid!)}\n`)
    assert.equal(claimLock(file), child.pid)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const giveBack = claimLock(file)
    assert.isFunction(giveBack)
    assert.match(await readFile(file, 'utf8'), new RegExp(`^${process.pid} `))
  })
})
