import { WebRoot } from '#files/machine/web_root'
import type { AppError } from '#core/app_error'
import { zipOf, type ZipEntry } from '#files/tests/zip'
import { connectSsh, type Machine } from '#packages/machine/main'
import { startWebRootMachine, type WebRootMachine } from '#tests/support/web_root_machine'
import { eventually } from '#tests/support/eventually'
import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Debian’s www-data. */
const OTHER_USER = 33

test.group('Unpacked files', (group) => {
  let ground: WebRootMachine
  let machine: Machine
  let root: WebRoot
  let folder: string
  let number = 0
  const temporary = '.berth-unzip-test'

  group.setup(async () => {
    ground = await startWebRootMachine()
    machine = await connectSsh(ground.sshd.target)
    return async () => {
      await machine.close()
      await ground.stop()
    }
  })
  group.each.setup(async () => {
    root = new WebRoot(machine)
    folder = `site-${++number}`
    await mkdir(join(ground.root, folder))
  })

  const at = (...path: string[]) => join(ground.root, folder, ...path)
  const read = (...path: string[]) => readFile(at(...path), 'utf8')
  async function unpack(entries: ZipEntry[], destination = folder): Promise<number | null> {
    await writeFile(join(ground.root, 'a.zip'), zipOf(entries))
    const wishes = { largest: 1_000_000, usable: false }
    const unzip = await root.unpack('a.zip', destination, temporary, wishes)
    unzip.stdin.end()
    unzip.stdout.resume()
    unzip.stderr.resume()
    return (await unzip.exit).code
  }
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: AppError) => error
    )

  test('do not replace files that another program creates meanwhile', async ({ assert }) => {
    await mkdir(at('-css'))
    await unpack([
      { name: '-css/a b', content: 'new' },
      { name: '-css/c', content: 'new' },
      { name: 'd', content: 'new' },
    ])
    await root.compareUnpacked(folder, temporary, false)
    await writeFile(at('-css/a b'), 'other')
    const refusal = await refusalOf(root.putUnpacked(folder, temporary, ['-css'], false))
    assert.equal(refusal?.status, 409)
    assert.include(refusal?.message, 'created “a b” in the destination meanwhile')
    assert.equal(await read('-css/a b'), 'other')
    assert.equal(await read('-css/c'), 'new')
    await root.dropUnpacked(folder, temporary)
    assert.deepEqual(await readdir(at()), ['-css'])
  })

  test('replace only the chosen files', async ({ assert }) => {
    await mkdir(at('deep'))
    for (const path of ['deep/a', '-b']) await writeFile(at(path), 'old')
    await unpack([
      { name: 'deep/a', content: 'new' },
      { name: '-b', content: 'new' },
      { name: 'c', content: 'new' },
    ])
    await writeFile(at('c'), 'other')
    await root.replaceByUnpacked(folder, temporary, ['deep/a', '-b'])
    const refusal = await refusalOf(root.putUnpacked(folder, temporary, ['deep'], false))
    assert.include(refusal?.message, 'created “c” in the destination meanwhile')
    assert.deepEqual(await Promise.all([read('deep/a'), read('-b'), read('c')]), [
      'new',
      'new',
      'other',
    ])
    await root.dropUnpacked(folder, temporary)
  })

  test('can be deleted even if the archive makes folders read-only', async ({ assert }) => {
    for (const path of [ground.root, at()]) await chown(path, OTHER_USER, OTHER_USER)
    const locked = [
      { name: 'locked/', mode: 0o040555 },
      { name: 'locked/a', content: 'x' },
      // This file exceeds the size limit, so unpacking fails.
      { name: 'too large', content: Buffer.alloc(2_000_000) },
    ]
    assert.isAbove((await unpack(locked)) ?? 0, 100)
    assert.isTrue(existsSync(at(temporary, 'locked/a')))
    assert.isAbove((await unpack(locked)) ?? 0, 100)
    await root.dropUnpacked(folder, temporary)
    assert.deepEqual(await readdir(at()), [])
    for (const path of [ground.root, at()]) await chown(path, 0, 0)
  })

  test('are rejected if another user owns their folder, and deleting them never follows a link', async ({
    assert,
  }) => {
    await unpack([{ name: 'a', content: '/etc/passwd' }])
    await rm(at(temporary), { recursive: true })
    await mkdir(at(temporary))
    await symlink(ground.outside, at(temporary, 'out'))
    await writeFile(join(ground.outside, 'kept'), 'kept')
    await chown(at(temporary), OTHER_USER, OTHER_USER)
    const refusal = await refusalOf(root.leaveOutUnpacked(folder, temporary, ['out/kept']))
    assert.equal(refusal?.code, 'outside')
    assert.isTrue(existsSync(join(ground.outside, 'kept')))
    await root.dropUnpacked(folder, temporary)
    assert.isTrue(existsSync(join(ground.outside, 'kept')))
  })

  test('are reported as missing before and after an attempt, and a finished attempt leaves no starter page', async ({
    assert,
  }) => {
    assert.isNull(await root.compareUnpacked(folder, temporary, false))
    await unpack([{ name: 'a' }])
    assert.deepEqual(await root.compareUnpacked(folder, temporary, false), [])
    await root.putUnpacked(folder, temporary, [], false)
    await writeFile(at(`${temporary}.index.html`), 'starter')
    assert.isNull(await root.compareUnpacked(folder, temporary, false))
    assert.deepEqual(await readdir(at()), ['a'])
  })

  test('cause an error if another program deleted them meanwhile', async ({ assert }) => {
    for (const move of [
      () => root.replaceByUnpacked(folder, temporary, ['a']),
      () => root.putUnpacked(folder, temporary, [], false),
      () => root.leaveOutUnpacked(folder, temporary, ['a']),
    ]) {
      await unpack([{ name: 'a' }])
      await root.compareUnpacked(folder, temporary, false)
      await rm(at(temporary), { recursive: true })
      assert.include((await refusalOf(move()))?.message, 'deleted the unpacked files')
    }
  })

  test('are processed by one attempt at a time', async ({ assert }) => {
    const works = [
      () => root.compareUnpacked(folder, temporary, false),
      () => root.leaveOutUnpacked(folder, temporary, []),
      () => root.dropUnpacked(folder, temporary),
      () => unpack([{ name: 'again' }]),
    ]
    for (const work of works) {
      await unpack([{ name: 'a' }])
      const { ino } = await stat(at(temporary))
      const earlier = spawn('flock', [at(temporary), 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
      earlier.stdin.write('locked')
      await once(earlier.stdout, 'data')
      const working = work()
      try {
        await eventually(async () => {
          const locks = await readFile('/proc/locks', 'utf8')
          assert.match(locks, new RegExp(`-> FLOCK .*:${ino} `))
        })
        assert.isTrue(existsSync(at(temporary, 'a')))
      } finally {
        earlier.stdin.end()
      }
      await working
    }
  })
})
