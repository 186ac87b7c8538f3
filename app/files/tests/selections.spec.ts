import { MAX_FILES_PER_CALL } from '#files/errors'
import { FILE_MANAGER_SCRIPT, folderModeFromFileMode } from '#files/machine/web_root'
import { webRootScriptArgv } from '#guest/public_effects'
import { SshMachine } from '#packages/machine/main'
import { startWebRootMachine, type WebRootMachine } from '#tests/support/web_root_machine'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'

const oddNames = [
  'two words.txt',
  `it's "quoted" $(touch x) \`y\`.txt`,
  'two\nlines.txt\n',
  '-rf',
  '*',
  ' ends with space ',
  'back\\slash\\0101',
  'ভাষা — ñandú 🚢.txt',
]
/** The name `café` in Latin-1, and the same name as requests encode it. */
const raw = { bytes: Buffer.from('caf\xe9', 'latin1'), wire: '.berth-raw-636166e9' }

let machine: WebRootMachine
let visitor: Visitor
let id: number

type Call = 'copy' | 'move' | 'delete-many' | 'mode'

function at(call: Call, by = visitor, body: object = {}, area = '') {
  return by.post(`${area}/file-manager/${call}`, { server_instance_id: id, ...body })
}

const inRoot = (...parts: string[]) => join(machine.root, ...parts)
const modeOf = async (path: string) => ((await lstat(inRoot(path))).mode & 0o7777).toString(8)

/**
 * Replaces the content of the web root. A path with a trailing slash becomes a folder. Others
 * become files that contain their own path.
 */
async function lay(...paths: string[]) {
  for (const name of await readdir(machine.root)) await rm(inRoot(name), { recursive: true })
  for (const path of paths) {
    if (path.endsWith('/')) await mkdir(inRoot(path), { recursive: true })
    else await writeFile(inRoot(path), path)
  }
}

/** Returns all paths below a folder, including hidden ones, without following links. */
async function all(folder = ''): Promise<string[]> {
  const entries = await readdir(inRoot(folder), { withFileTypes: true })
  const found = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [path, ...(await all(path))] : [path]
  })
  return (await Promise.all(found)).flat().sort()
}

test.group('Actions on several files', (group) => {
  group.setup(async () => {
    machine = await startWebRootMachine()
    const customer = await makeCustomer()
    id = (await machine.instanceOf(customer)).id
    visitor = await signIn(customer)
    await writeFile(join(machine.outside, 'secret'), 'secret')
    return () => machine.stop()
  })

  test('copies from several folders keep modes, times and links', async ({ assert }) => {
    await lay('from/', 'from/sub/', 'from/sub/deep.txt', 'other/', 'other/.env', 'to/')
    await symlink('../../outside/secret', inRoot('from/sub/out'))
    await symlink(machine.outside, inRoot('other/folder-out'))
    await chmod(inRoot('from/sub/deep.txt'), 0o751)
    await utimes(inRoot('from/sub/deep.txt'), 1_000_000, 1_000_000)
    const paths = ['from/sub', '/other/.env', 'other/folder-out']
    const before = await all()
    const { status, json } = await at('copy', visitor, { paths, folder: 'to' })
    assert.equal(status, 200)
    assert.deepInclude(json, { message: '3 items copied.', data: { count: 3 } })
    const copies = ['to/.env', 'to/folder-out', 'to/sub', 'to/sub/deep.txt', 'to/sub/out']
    assert.deepEqual(await all(), [...before, ...copies].sort())
    assert.equal(await readFile(inRoot('to/sub/deep.txt'), 'utf8'), 'from/sub/deep.txt')
    assert.equal(await modeOf('to/sub/deep.txt'), '751')
    assert.equal((await lstat(inRoot('to/sub/deep.txt'))).mtimeMs, 1_000_000_000)
    assert.equal(await readlink(inRoot('to/sub/out')), '../../outside/secret')
    assert.equal(await readlink(inRoot('to/folder-out')), machine.outside)
  })

  test('copies in the same folder get a new name', async ({ assert }) => {
    await lay('a.tar.gz', '.htaccess', 'plain', 'v1.2/', 'v1.2/in.txt')
    const paths = ['a.tar.gz', '.htaccess', 'plain', 'v1.2']
    assert.equal((await at('copy', visitor, { paths, folder: '' })).status, 200)
    assert.equal((await at('copy', visitor, { paths: ['plain', 'v1.2'], folder: '/' })).status, 200)
    assert.deepEqual(
      await all(),
      [
        '.htaccess',
        '.htaccess copy',
        'a.tar copy.gz',
        'a.tar.gz',
        'plain',
        'plain copy',
        'plain copy 2',
        ...['v1.2', 'v1.2 copy', 'v1.2 copy 2'].flatMap((name) => [name, `${name}/in.txt`]),
      ].sort()
    )
    assert.equal(await readFile(inRoot('a.tar copy.gz'), 'utf8'), 'a.tar.gz')
  })

  test('files are moved from several folders', async ({ assert }) => {
    await lay('from/', 'from/sub/', 'from/sub/deep.txt', 'other/', 'other/b.txt', 'to/')
    await symlink(machine.outside, inRoot('out'))
    const paths = ['from/sub', 'other/b.txt', 'out']
    const { status, json } = await at('move', visitor, { paths, folder: '/to/' })
    assert.equal(status, 200)
    assert.equal(json.message, '3 items moved.')
    assert.deepEqual(
      await all(),
      ['from', 'other', 'to', 'to/b.txt', 'to/out', 'to/sub', 'to/sub/deep.txt'].sort()
    )
    assert.equal(await readlink(inRoot('to/out')), machine.outside)
  })

  test('an existing name is reported, and nothing is copied or moved', async ({ assert }) => {
    for (const taken of ['file', 'folder', 'link']) {
      await lay('from/', 'from/a', 'from/b', 'to/')
      if (taken === 'file') await writeFile(inRoot('to/b'), 'old')
      else if (taken === 'folder') await mkdir(inRoot('to/b'))
      else await symlink('nowhere', inRoot('to/b'))
      const before = await all()
      for (const call of ['copy', 'move'] as const) {
        const { status, json } = await at(call, visitor, {
          paths: ['from/a', 'from/b'],
          folder: 'to',
        })
        assert.equal(status, 409)
        assert.equal(json.message, '“b” already exists. Nothing was changed.')
        assert.deepEqual(await all(), before)
      }
    }
    await lay('a/', 'a/x', 'b/', 'b/x', 'to/')
    for (const call of ['copy', 'move'] as const) {
      const { status, json } = await at(call, visitor, { paths: ['a/x', 'b/x'], folder: 'to' })
      assert.equal(status, 409)
      assert.match(json.message!, /“x” already exists/)
    }
    assert.equal((await at('move', visitor, { paths: ['a/x'], folder: 'a' })).status, 409)
    assert.deepEqual(await all(), ['a', 'a/x', 'b', 'b/x', 'to'])
    // The copy of `x` would get the name of another selected entry.
    await lay('x', 'a/', 'a/x copy')
    assert.equal((await at('copy', visitor, { paths: ['x', 'a/x copy'], folder: '' })).status, 409)
    assert.deepEqual(await all(), ['a', 'a/x copy', 'x'])
  })

  test('a folder cannot be copied or moved into itself', async ({ assert }) => {
    await lay('first', 'a/', 'a/b/', 'ab/')
    for (const folder of ['a', 'a/b']) {
      for (const call of ['copy', 'move'] as const) {
        const { status, json } = await at(call, visitor, { paths: ['first', 'a'], folder })
        assert.equal(status, 409)
        assert.equal(
          json.message,
          '“a” cannot be moved or copied into itself. Nothing was changed.'
        )
      }
    }
    assert.deepEqual(await all(), ['a', 'a/b', 'ab', 'first'])
    // `ab` starts with the name of the copied folder `a`, but is a different folder.
    assert.equal((await at('copy', visitor, { paths: ['a'], folder: 'ab' })).status, 200)
    assert.deepEqual(await all(), ['a', 'a/b', 'ab', 'ab/a', 'ab/a/b', 'first'])
  })

  test('files with unusual names are copied, moved and deleted, and their mode is changed', async ({
    assert,
  }) => {
    await lay('from/', 'copies/', 'moved/')
    for (const name of [...oddNames, raw.bytes]) {
      await writeFile(Buffer.concat([Buffer.from(inRoot('from/')), Buffer.from(name)]), 'text')
    }
    const names = [...oddNames, raw.wire]
    const paths = (folder: string) => names.map((name) => `${folder}/${name}`)
    const there = (folder: string) => readdir(Buffer.from(inRoot(folder)), 'buffer')
    const sorted = (some: Buffer[]) => some.map((name) => name.toString('hex')).sort()
    const wanted = sorted([...oddNames.map((name) => Buffer.from(name)), raw.bytes])
    const call = async (name: Call, body: object) => {
      const { status, text } = await at(name, visitor, body)
      assert.equal(status, 200, text)
    }
    await call('copy', { paths: paths('from'), folder: 'copies' })
    assert.deepEqual(sorted(await there('copies')), wanted)
    await call('move', { paths: paths('copies'), folder: 'moved' })
    assert.deepEqual(sorted(await there('moved')), wanted)
    assert.deepEqual(await there('copies'), [])
    await call('mode', { paths: paths('moved'), mode: '600' })
    for (const name of oddNames) assert.equal(await modeOf(`moved/${name}`), '600')
    await call('copy', { paths: paths('moved'), folder: 'moved' })
    assert.lengthOf(await there('moved'), 2 * names.length)
    await call('delete-many', { paths: paths('moved') })
    assert.lengthOf(await there('moved'), names.length)
    assert.deepEqual(sorted(await there('from')), wanted)
  })

  test('folders are deleted with their content, and links without their targets', async ({
    assert,
  }) => {
    await lay('a/', 'a/b/', 'a/b/deep', 'c', 'kept')
    await symlink(machine.outside, inRoot('out'))
    await symlink('kept', inRoot('to-kept'))
    const paths = ['a', 'c', 'out', 'to-kept', '/c']
    const { status, json } = await at('delete-many', visitor, { paths })
    assert.equal(status, 200)
    assert.deepInclude(json, { message: '4 items deleted.', data: { count: 4 } })
    assert.deepEqual(await all(), ['kept'])
    assert.deepEqual(await readdir(machine.outside), ['secret'])
  })

  test('an incomplete list of files is rejected', async ({ assert }) => {
    await lay('a', 'site', 'site.old')
    const direct = new SshMachine(machine.sshd.target)
    for (const stdin of ['a\n', 'a\nsite', '']) {
      const argv = webRootScriptArgv(FILE_MANAGER_SCRIPT, 'delete-many', ['2'])
      const { code } = await direct.exec(argv, { stdin: Buffer.from(stdin) })
      assert.equal(code, 30)
    }
    await direct.close()
    assert.deepEqual(await all(), ['a', 'site', 'site.old'])
  })

  test('a missing file is reported, and nothing is changed', async ({ assert }) => {
    await lay('a', 'b/')
    const paths = ['a', 'gone']
    for (const [call, more] of [
      ['copy', { folder: 'b' }],
      ['move', { folder: 'b' }],
      ['delete-many', {}],
      ['mode', { mode: '600' }],
    ] as const) {
      const { status, json } = await at(call, visitor, { paths, ...more })
      assert.equal(status, 404)
      assert.equal(json.message, '“gone” no longer exists. Nothing was changed.')
    }
    assert.deepEqual(await all(), ['a', 'b'])
    assert.equal(await modeOf('a'), '644')
    const { status } = await at('move', visitor, { paths: ['a'], folder: 'gone' })
    assert.equal(status, 404)
    assert.equal((await at('move', visitor, { paths: ['b'], folder: 'a' })).status, 409)
  })

  test('a mode applies to files, folders get x for each r, and links are not followed', async ({
    assert,
  }) => {
    await lay('dir/', 'dir/locked/', 'dir/locked/in.txt', 'dir/run.sh', 'file')
    await writeFile(join(machine.outside, 'target'), '')
    await chmod(join(machine.outside, 'target'), 0o604)
    await symlink(join(machine.outside, 'target'), inRoot('dir/link'))
    await symlink(machine.outside, inRoot('dir/folder-link'))
    await chmod(inRoot('dir/locked'), 0)
    const outsideMode = (await lstat(machine.outside)).mode
    const change = (body: object) => at('mode', visitor, body)
    assert.equal((await change({ paths: ['dir', 'file'], mode: '0640' })).status, 200)
    const modes = async () =>
      Promise.all(['file', 'dir', 'dir/locked', 'dir/locked/in.txt', 'dir/run.sh'].map(modeOf))
    assert.deepEqual(await modes(), ['640', '750', '0', '644', '644'])
    const deep = await change({ paths: ['dir'], mode: '604', recursive: true })
    assert.equal(deep.status, 200, deep.text)
    assert.equal(deep.json.message, 'Mode of dir changed.')
    assert.deepEqual(await modes(), ['640', '705', '705', '604', '604'])
    assert.equal((await lstat(join(machine.outside, 'target'))).mode & 0o777, 0o604)
    assert.equal((await lstat(machine.outside)).mode, outsideMode)

    const link = await change({ paths: ['file', 'dir/link'], mode: '777' })
    assert.equal(link.status, 409)
    assert.match(
      link.json.message!,
      /^“link” is a symbolic link\. Symbolic links have no mode of their own/
    )
    for (const mode of ['4755', '2755', '1777', '7777', '888', '64', '00644', 'u+x', '644\n', '']) {
      const { status } = await change({ paths: ['file'], mode })
      assert.equal(status, 422, mode)
    }
    assert.match((await change({ paths: ['file'], mode: '4755' })).json.message!, /setuid/)
    assert.equal(await modeOf('file'), '640')
    assert.equal((await lstat(join(machine.outside, 'target'))).mode & 0o777, 0o604)
    assert.deepEqual(['644', '600', '751', '024'].map(folderModeFromFileMode), [
      '755',
      '700',
      '751',
      '025',
    ])
  })

  test('no path or link leads out of the web root', async ({ assert }) => {
    await lay('mine', 'dir/')
    await symlink(machine.outside, inRoot('out'))
    const calls: [Call, object][] = [
      'out/secret',
      '../outside/secret',
      '/../outside/secret',
      'a\0',
    ].flatMap((path): [Call, object][] => [
      ['copy', { paths: ['mine', path], folder: 'dir' }],
      ['move', { paths: ['mine', path], folder: 'dir' }],
      ['delete-many', { paths: ['mine', path] }],
      ['mode', { paths: ['mine', path], mode: '600' }],
    ])
    for (const folder of ['out', '../outside', '//tmp', '.berth-x']) {
      calls.push(['copy', { paths: ['mine'], folder }], ['move', { paths: ['mine'], folder }])
    }
    for (const path of ['', '/', '.', '.berth-x', 'dir/.berth-x.part', 5]) {
      calls.push(['delete-many', { paths: [path] }], ['mode', { paths: [path], mode: '600' }])
      calls.push(['copy', { paths: [path], folder: 'dir' }])
    }
    for (const [call, body] of calls) {
      const { status, text } = await at(call, visitor, body)
      assert.equal(status, 422, `${call} ${JSON.stringify(body)}: ${text.slice(0, 200)}`)
    }
    assert.deepEqual(await all(), ['dir', 'mine', 'out'])
    assert.equal(await modeOf('mine'), '644')
    assert.equal(await readFile(join(machine.outside, 'secret'), 'utf8'), 'secret')
    assert.equal((await lstat(join(machine.outside, 'secret'))).mode & 0o777, 0o644)
  })

  test('a call accepts at most 500 paths, and no folder together with its content', async ({
    assert,
  }) => {
    const names = Array.from({ length: MAX_FILES_PER_CALL }, (_, index) => `file-${index}`)
    await lay('to/', 'from/', ...names.map((name) => `from/${name}`))
    const paths = names.map((name) => `from/${name}`)
    for (const [call, more] of [
      ['copy', { folder: 'to' }],
      ['move', { folder: 'to' }],
      ['delete-many', {}],
      ['mode', { mode: '600' }],
    ] as const) {
      const { status, json } = await at(call, visitor, { paths: [...paths, 'one more'], ...more })
      assert.equal(status, 422)
      assert.match(json.message!, /at most 500/)
      assert.equal((await at(call, visitor, { paths: [], ...more })).status, 422)
      const nested = await at(call, visitor, { paths: ['from', 'from/file-0'], ...more })
      assert.equal(nested.status, 422)
    }
    assert.lengthOf(await readdir(inRoot('from')), MAX_FILES_PER_CALL)
    assert.equal((await at('copy', visitor, { paths, folder: 'to' })).status, 200)
    assert.lengthOf(await readdir(inRoot('to')), MAX_FILES_PER_CALL)
    assert.equal((await at('delete-many', visitor, { paths })).status, 200)
    assert.deepEqual(await readdir(inRoot('from')), [])
  })

  test('another user’s files block a copy or move completely, and other actions report how many files they changed', async ({
    assert,
  }) => {
    await lay(
      'dir/',
      'dir/theirs/',
      'dir/theirs/in.txt',
      'dir/a',
      'z',
      'to/',
      'closed/',
      'closed/b'
    )
    await writeFile(inRoot('dir/theirs/shut'), '', { mode: 0o600 })
    await mkdir(inRoot('still'), { mode: 0o555 })
    const owner = 65_534
    for (const path of ['', 'dir', 'dir/a', 'z', 'to', 'still', 'closed/b']) {
      await lchown(inRoot(path), owner, owner)
    }
    await chmod(machine.sshd.folder, 0o711)
    const before = await all()
    for (const [call, body] of [
      // Each call fails because of an unreadable file, or a folder to which the user may not write.
      ['copy', { paths: ['z', 'dir'], folder: 'to' }],
      ['copy', { paths: ['z', 'still'], folder: 'to' }],
      ['copy', { paths: ['z'], folder: 'closed' }],
      ['move', { paths: ['z', 'dir/theirs'], folder: 'to' }],
      ['move', { paths: ['z', 'closed/b'], folder: 'to' }],
      ['delete-many', { paths: ['z', 'closed/b'] }],
    ] as const) {
      const { status, json } = await at(call, visitor, body)
      assert.equal(status, 403, `${call} ${JSON.stringify(body)}`)
      assert.match(json.message!, /^Permission denied: /)
      assert.deepEqual(await all(), before)
    }
    const modes = await at('mode', visitor, { paths: ['z', 'closed'], mode: '600' })
    assert.match(
      modes.json.message!,
      /^1 of 2 changed, then an error occurred: Permission denied: /
    )
    const gone = await at('delete-many', visitor, { paths: ['z', 'dir', 'to'] })
    assert.equal(gone.status, 403)
    assert.match(gone.json.message!, /^1 of 3 deleted, then an error occurred: Permission denied: /)
    assert.isTrue((await all()).includes('to'))
    assert.equal((await at('copy', visitor, { paths: ['closed'], folder: 'to' })).status, 403)
    assert.equal((await at('copy', visitor, { paths: ['closed/b'], folder: 'to' })).status, 200)
    await lchown(machine.root, 0, 0)
  })

  test('actions of administrators are in the audit log, and support staff can only read', async ({
    assert,
  }) => {
    await lay('a', 'b', 'to/')
    const support = await signIn(await makeStaff('support'))
    const admin = await signIn(await makeStaff('administrator'))
    const paths = ['a', 'b']
    for (const [call, more] of [
      ['copy', { folder: 'to' }],
      ['mode', { mode: '600' }],
      ['delete-many', {}],
    ] as const) {
      assert.equal((await at(call, support, { paths, ...more }, '/admin')).status, 403)
      assert.equal((await at(call, admin, { paths, ...more }, '/admin')).status, 200)
      const action = `files.${call.replace('-', '_')}`
      const entry = await db
        .from('audit_entries')
        .where({ action, subject_id: String(id) })
        .first()
      assert.deepEqual(entry.after, { paths, ...more })
    }
  })
})
