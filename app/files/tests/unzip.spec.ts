import Operation from '#core/models/operation'
import { cancelOperation } from '#core/operations/operations'
import { runSteps } from '#core/operations/runner'
import { inspectZipBeforeUnpacking, MAX_ARCHIVE_ENTRIES } from '#files/inspect_zip_before_unpacking'
import type { AppError } from '#core/app_error'
import { directoryOf, zipOf, type ZipEntry } from '#files/tests/zip'
import { renderStarterPage, STARTER_TEXTS } from '#guest/public_effects'
import { zipSamples } from '#tests/corpus/zips/archives'
import { startWebRootMachine, type WebRootMachine } from '#tests/support/web_root_machine'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { join, relative } from 'node:path'

let machine: WebRootMachine
let visitor: Visitor
let id: number

function inspect(archive: Buffer, size = archive.length) {
  return inspectZipBeforeUnpacking(size, async (start, length) =>
    archive.subarray(start, start + length)
  )
}

async function unzip(name: string, destination = '', more: [string, string][] = []) {
  const query = new URLSearchParams({
    file_path: name,
    destination_path: destination,
    server_instance_id: String(id),
  })
  for (const [key, value] of more) query.append(key, value)
  return visitor.post(`/file-manager/unzip-file?${query}`)
}

async function run(name: string, destination = '', more: [string, string][] = []) {
  const { id: operation } = await start(name, destination, more)
  await runSteps(operation)
  return Operation.findOrFail(operation)
}

async function start(...request: Parameters<typeof unzip>): Promise<Operation> {
  const { json, status, text } = await unzip(...request)
  if (status !== 202) throw new Error(text)
  return Operation.findOrFail((json.data?.operation as { id: string }).id)
}

/** Runs an operation while a process of an earlier attempt locks the hidden folder. */
async function runBesideEarlierAttempt({ id: operation }: Operation): Promise<Operation> {
  const hidden = join(machine.root, `.berth-unzip-${operation}`)
  await mkdir(hidden)
  const moved = join(machine.root, `earlier-${operation}`)
  const { ino } = await stat(hidden)
  const earlier = spawn('flock', [hidden, 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
  earlier.stdin.write('locked')
  await once(earlier.stdout, 'data')
  const running = runSteps(operation)
  try {
    await eventually(async () => {
      if (!(await readFile('/proc/locks', 'utf8')).match(`-> FLOCK .*:${ino} `))
        throw new Error('The operation does not wait for the lock')
    })
    // Replaces the folder, as if another attempt had started again. The script then gives up as soon as
    // it has the lock. Otherwise it would give up only after two minutes without the lock.
    await rename(hidden, moved)
    await mkdir(hidden)
  } finally {
    earlier.stdin.end()
  }
  await running
  await rm(moved, { recursive: true })
  return Operation.findOrFail(operation)
}

async function left(): Promise<string[]> {
  const names = await readdir(machine.root, { recursive: true })
  return names.filter((name) => name.includes('.berth-'))
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(join(machine.root, path))).mode & 0o777).toString(8)
}

/** Encodes each character as one byte, as programs without UTF-8 support write names. */
const cp437 = (name: string) => Buffer.from(name, 'latin1')

/**
 * Returns an archive whose comment contains a second central directory and a second end record.
 * unzip reads the second ones.
 */
function twoEnds(): Buffer {
  const archive = (name: string) => {
    const whole = zipOf([{ name, content: 'x' }])
    const directory = directoryOf(whole)
    return { directory, body: whole.subarray(0, -22 - directory.length), end: whole.subarray(-22) }
  }
  const [harmful, harmless] = [archive('.berth-planted'), archive('plain')]
  const shown = Buffer.concat([harmful.body, harmless.body])
  const comment = Buffer.concat([harmful.directory, harmful.end, Buffer.from('more')])
  harmless.end.writeUInt32LE(shown.length, 16)
  harmless.end.writeUInt16LE(comment.length, 20)
  const before = Buffer.concat([shown, harmless.directory, harmless.end])
  comment.writeUInt32LE(before.length, harmful.directory.length + 16)
  return Buffer.concat([before, comment])
}

const wicked: [string, ZipEntry[] | Buffer][] = [
  ['a name that starts with “..”', [{ name: '../outside/planted', content: 'x' }]],
  ['a name with “..” in the middle', [{ name: 'a/../../outside/planted', content: 'x' }]],
  ['a name with backslashes', [{ name: '..\\outside\\planted', content: 'x' }]],
  ['an absolute name', [{ name: '/tmp/planted', content: 'x' }]],
  ['an absolute name with a NUL', [{ name: '/tmp/planted\0', content: 'x' }]],
  ['an absolute name with control characters', [{ name: '/tmp/\x1bplanted', content: 'x' }]],
  [
    'a file inside a symbolic link',
    [
      { name: 'link', content: '../outside', mode: 0o120777 },
      { name: 'link/planted', content: 'x' },
    ],
  ],
  [
    'a file inside a symbolic link with another spelling of its path',
    [
      { name: './link/a//planted', content: 'x' },
      { name: 'link', content: '../outside', mode: 0o120777, system: 19 },
    ],
  ],
  ["a name of Berth's own", [{ name: 'site/.berth-unzip-1/planted', content: 'x' }]],
  [
    "a name of Berth's own in its extra field",
    [{ name: 'plain', unicodeName: '.berth-planted', content: 'x' }],
  ],
  ["a name of Berth's own in code page 437", [{ name: cp437('a/.berth-\x9a'), content: 'x' }]],
  ["a name of Berth's own with a control character that unzip removes", [{ name: '.\x01berth-x' }]],
  [
    'a second central directory behind the one of the end record',
    zipOf([{ name: '.berth-planted', content: 'x' }], {
      decoy: directoryOf(zipOf([{ name: 'entirely-plain', content: 'x' }])),
    }),
  ],
  ['a second end record', twoEnds()],
  [
    'an extra field with “..” in the name',
    [{ name: cp437('\x9a'), unicodeName: '../outside/planted', content: 'x' }],
  ],
  ['a name that is too long', [{ name: cp437('\x9a'.repeat(3_000)), content: 'x' }]],
  ['a device file', [{ name: 'device', mode: 0o020666 }]],
  ['an encrypted entry', [{ name: 'locked', content: 'x', encrypted: true }]],
  [
    'a stated size above the limit',
    [
      { name: 'a', claims: 0xf0000000 },
      { name: 'b', claims: 0xf0000000 },
    ],
  ],
  ['a ZIP bomb', [{ name: 'bomb', content: 'x', claims: 900_000_000 }]],
]

test.group('Unzipping', (group) => {
  group.setup(async () => {
    machine = await startWebRootMachine()
    const customer = await makeCustomer()
    id = (await machine.instanceOf(customer)).id
    visitor = await signIn(customer)
    return () => machine.stop()
  })

  test('unpacks all entries at once, also with unusual names', async ({ assert }) => {
    const entries = [
      { name: 'site/', mode: 0o040755 },
      { name: 'site/index.html', content: '<p>' },
      { name: 'site/ভাষা — ñ.txt', content: 'text' },
      { name: `site/it's "odd" $(x) [1].txt`, content: '' },
      { name: '.hidden', content: 'h' },
      { name: '-rf', content: 'dash' },
    ]
    await writeFile(join(machine.root, 'odd [1] name.ZIP'), zipOf(entries))
    const operation = await run('odd [1] name.ZIP', 'new')
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.deepEqual(operation.result, {
      destination: 'new',
      entries: 6,
      leftOut: { junk: 0, links: 0 },
    })
    assert.sameMembers(await readdir(join(machine.root, 'new')), ['site', '.hidden', '-rf'])
    assert.equal(await readFile(join(machine.root, 'new/site/ভাষা — ñ.txt'), 'utf8'), 'text')
    assert.lengthOf(await readdir(join(machine.root, 'new/site')), 3)
    assert.deepEqual(await left(), [])
  })

  test('uses the names of the Unicode extra field if there is one', async ({ assert }) => {
    await writeFile(
      join(machine.root, 'extra.zip'),
      zipOf([{ name: 'cafe', unicodeName: 'café', content: 'x' }])
    )
    const operation = await run('extra.zip', 'extra')
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.deepEqual(await readdir(join(machine.root, 'extra')), ['café'])
  })

  for (const [maker, system] of [
    ['Unix', 3],
    ['Windows', 0],
    ['NTFS', 10],
  ] as const) {
    test(`restores the names of an archive by ${maker}`, async ({ assert }) => {
      const entries: Record<string, ZipEntry> = {
        'plain.txt': { name: 'plain.txt' },
        'Übung/straße ½.txt': { name: cp437('\x9abung/stra\xe1e \xab.txt') },
        'Bücher.txt': { name: Buffer.from('Bücher.txt') },
        'один.txt': { name: 'один.txt' },
        'два.txt': { name: 'два.txt' },
        '三.txt': { name: cp437('\x8e\x4f.txt'), unicodeName: '三.txt' },
        // The Unicode field has an outdated name, because a program renamed the file later. Its
        // checksum does not match the name.
        'é.txt': { name: cp437('\x82.txt'), unicodeName: 'old.txt', isStale: true },
      }
      const given = Object.entries(entries).map(([name, entry]) => ({
        ...entry,
        system,
        content: name,
      }))
      await writeFile(join(machine.root, 'names.zip'), zipOf(given))
      const folder = `names of ${maker}`
      const operation = await run('names.zip', folder)
      assert.equal(operation.status, 'done', operation.error ?? '')
      for (const name of Object.keys(entries)) {
        const path = join(machine.root, folder, name)
        assert.equal(await readFile(path, 'utf8'), name)
        assert.equal((await stat(path)).mode & 0o644, 0o644)
      }
      assert.lengthOf(await readdir(join(machine.root, folder)), given.length)
      assert.deepEqual(await left(), [])
    })
  }

  // The web server and PHP run as another user than the files' owner, so everyone must be able to read
  // the files, except for keys.
  test('gives the owner write access and the web server read access, whatever modes the archive has', async ({
    assert,
  }) => {
    const entries = [
      { name: 'closed/', mode: 0o040000 },
      { name: 'closed/secret.txt', mode: 0o100000 },
      { name: 'read-only.txt', mode: 0o100444 },
      { name: 'tool', mode: 0o100700 },
      { name: 'private.key', mode: 0o100400 },
    ]
    await writeFile(join(machine.root, 'modes.zip'), zipOf(entries))
    const operation = await run('modes.zip', 'modes')
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.equal(await modeOf('modes/closed'), '755')
    assert.equal(await modeOf('modes/closed/secret.txt'), '644')
    assert.equal(await modeOf('modes/read-only.txt'), '644')
    assert.equal(await modeOf('modes/tool'), '755')
    assert.equal(await modeOf('modes/private.key'), '600')
  })

  for (const [index, sample] of zipSamples.entries()) {
    test(`unpacks the sample of ${sample.maker}`, async ({ assert }) => {
      const folder = `corpus-${index}`
      await writeFile(join(machine.root, `${folder}.zip`), sample.archive)
      const more: [string, string][] = sample.encoding ? [['encoding', sample.encoding]] : []
      const operation = await run(`${folder}.zip`, folder, more)
      assert.deepEqual(await left(), [])
      if (sample.refused) {
        assert.match(operation.error ?? '', sample.refused)
        assert.notInclude(await readdir(machine.root), folder)
        return
      }
      assert.equal(operation.status, 'done', operation.error ?? '')
      const leftOut = operation.result?.leftOut as { junk: number; links: number }
      assert.deepEqual(leftOut, { junk: sample.junk ?? 0, links: 0 })
      const guessed = operation.result?.guessed as { count: number } | undefined
      assert.equal(guessed?.count, sample.guessed)
      const found: Record<string, string> = {}
      const all = await readdir(join(machine.root, folder), {
        recursive: true,
        withFileTypes: true,
      })
      for (const file of all.filter((each) => each.isFile())) {
        const path = join(file.parentPath, file.name)
        found[relative(join(machine.root, folder), path)] = await readFile(path, 'utf8')
      }
      assert.deepEqual(found, sample.files)
      const usual = Object.fromEntries(Object.keys(found).map((name) => [name, '644']))
      for (const [name, mode] of Object.entries(sample.modes ?? usual))
        assert.equal(await modeOf(`${folder}/${name}`), mode, name)
    })
  }

  test('skips files that desktop systems add to archives', async ({ assert }) => {
    const entries = [
      '__MACOSX/',
      '__MACOSX/._a',
      '.DS_Store',
      'site/.DS_Store',
      'site/Thumbs.db',
      'site/a',
      'site/.DS_Store/kept',
      'site/__MACOSX/kept',
    ].map((name) => ({ name, content: name }))
    await writeFile(join(machine.root, 'mac.zip'), zipOf(entries))
    const operation = await run('mac.zip', 'mac')
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.deepEqual(operation.result, {
      destination: 'mac',
      entries: 3,
      leftOut: { junk: 5, links: 0 },
    })
    const all = await readdir(join(machine.root, 'mac'), { recursive: true })
    const files = ['site/a', 'site/.DS_Store/kept', 'site/__MACOSX/kept']
    assert.sameMembers(all, ['site', 'site/.DS_Store', 'site/__MACOSX', ...files])
    assert.equal(await readFile(join(machine.root, 'mac/site/a'), 'utf8'), 'site/a')

    await writeFile(join(machine.root, 'only-mac.zip'), zipOf([{ name: '.DS_Store' }]))
    assert.match((await run('only-mac.zip')).error ?? '', /only desktop system files/)
  })

  test('creates links that stay inside, and skips and counts others', async ({ assert }) => {
    const link = { mode: 0o120777 }
    const entries: ZipEntry[] = [
      { name: 'pkg/cli.js', content: 'run' },
      { name: 'pkg/bin/', mode: 0o040755 },
      { name: 'pkg/bin/cli', content: '../cli.js', ...link },
      { name: "pkg/bin/it's -n", content: "../it's $(touch x)", ...link },
      { name: '-f', content: '-rf', ...link },
      { name: cp437('\x9aber'), content: 'pkg/ü', ...link },
      { name: 'folder', content: 'pkg', ...link },
      { name: 'broken', content: 'nothing/there', ...link },
      { name: 'up', content: '..', ...link },
      { name: 'pkg/out', content: '../../outside', ...link },
      { name: 'etc', content: '/etc/passwd', ...link },
      { name: 'round', content: 'folder/../../outside', ...link },
      { name: 'nul', content: 'pkg\0', ...link },
      { name: 'long', content: 'x'.repeat(4_096), ...link },
      { name: 'empty', content: '', ...link },
      { name: './odd', content: 'pkg', ...link },
    ]
    await writeFile(join(machine.root, 'links.zip'), zipOf(entries))
    const operation = await run('links.zip', 'links')
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.deepEqual(operation.result, {
      destination: 'links',
      entries: 8,
      guessed: { count: 1, names: ['Über'] },
      leftOut: { junk: 0, links: 8 },
    })
    const at = (name: string) => join(machine.root, 'links', name)
    const links: Record<string, string> = {
      'pkg/bin/cli': '../cli.js',
      "pkg/bin/it's -n": "../it's $(touch x)",
      '-f': '-rf',
      Über: 'pkg/ü',
      folder: 'pkg',
      broken: 'nothing/there',
    }
    for (const [name, target] of Object.entries(links)) {
      assert.equal(await readlink(at(name)), target)
    }
    assert.equal(await readFile(at('pkg/bin/cli'), 'utf8'), 'run')
    const all = await readdir(at(''), { recursive: true })
    const seen = all.filter((name) => !name.startsWith('folder/'))
    assert.sameMembers(seen, ['pkg', 'pkg/cli.js', 'pkg/bin', ...Object.keys(links)])
    assert.deepEqual(await readdir(machine.outside), [])
    assert.deepEqual(await left(), [])
  })

  test('creates hundreds of links with long names', async ({ assert }) => {
    const names = Array.from({ length: 600 }, (_, one) => `bin/${'n'.repeat(200)}-${one}`)
    const entries = names.map((name) => ({ name, content: `../${name}`, mode: 0o120777 }))
    await writeFile(join(machine.root, 'many-links.zip'), zipOf(entries))
    const operation = await run('many-links.zip', 'many-links')
    assert.equal(operation.status, 'done', operation.error ?? '')
    for (const name of names) {
      assert.equal(await readlink(join(machine.root, 'many-links', name)), `../${name}`)
    }
  })

  test('replaces no existing files by default', async ({ assert }) => {
    await mkdir(join(machine.root, 'taken'))
    await writeFile(join(machine.root, 'taken/b'), 'old')
    await writeFile(
      join(machine.root, 'ab.zip'),
      zipOf([
        { name: 'a', content: 'new' },
        { name: 'b', content: 'new' },
      ])
    )
    const operation = await run('ab.zip', 'taken')
    assert.equal(operation.status, 'failed')
    assert.match(operation.error ?? '', /“b” already exists/)
    assert.deepEqual(await readdir(join(machine.root, 'taken')), ['b'])
    assert.equal(await readFile(join(machine.root, 'taken/b'), 'utf8'), 'old')
  })

  test('updates a site, and skips or replaces existing files as chosen', async ({ assert }) => {
    const files = ['index.html', 'css/a.css', 'css/-new.css', 'img/deep/x y']
    const archive = zipOf(files.map((name) => ({ name, content: 'new' })))
    await writeFile(join(machine.root, 'update.zip'), archive)
    const site = async (folder: string) => {
      await mkdir(join(machine.root, folder, 'css'), { recursive: true })
      for (const name of ['index.html', 'css/a.css', 'css/kept.css'])
        await writeFile(join(machine.root, folder, name), 'old')
    }
    const contents = async (folder: string) => {
      const names = ['index.html', 'css/a.css', 'css/kept.css', 'css/-new.css', 'img/deep/x y']
      const paths = names.map((name) => join(machine.root, folder, name))
      return Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => '-')))
    }
    await site('asked')
    const asked = await run('update.zip', 'asked')
    assert.match(asked.error ?? '', /already exists. Nothing was changed/)
    const { existing } = asked.result as { existing: { count: number; names: string[] } }
    assert.equal(existing.count, 2)
    assert.sameMembers(existing.names, ['index.html', 'css/a.css'])
    assert.deepEqual(await contents('asked'), ['old', 'old', 'old', '-', '-'])

    for (const [folder, more, after, skipped, replaced] of [
      ['skip', [['existing', 'skip']], ['old', 'old'], 2, undefined],
      ['replace', [['existing', 'replace']], ['new', 'new'], undefined, 2],
      [
        'mixed',
        [
          ['existing', 'skip'],
          ['exceptions[]', 'css/a.css'],
        ],
        ['old', 'new'],
        1,
        1,
      ],
      [
        'mixed too',
        [
          ['existing', 'replace'],
          ['exceptions[]', 'css/a.css'],
        ],
        ['new', 'old'],
        1,
        1,
      ],
    ] as [string, [string, string][], string[], number?, number?][]) {
      await site(folder)
      const operation = await run('update.zip', folder, more)
      assert.equal(operation.status, 'done', operation.error ?? '')
      assert.deepEqual(await contents(folder), [...after, 'old', 'new', 'new'])
      const result = operation.result as Record<string, { count: number } | undefined>
      assert.deepEqual([result.skipped?.count, result.replaced?.count], [skipped, replaced])
    }
    assert.deepEqual(await left(), [])
  })

  test('names links and folders that block entries of the archive', async ({ assert }) => {
    const link = { mode: 0o120777 }
    for (const [index, { path, entry, make }] of [
      {
        path: 'site/config.php',
        entry: { name: 'site/config.php', content: 'new' },
        make: (at: string) => symlink(join(machine.outside, 'planted'), at),
      },
      {
        path: 'site/img',
        entry: { name: 'site/img/planted', content: 'new' },
        make: (at: string) => symlink(machine.outside, at),
      },
      {
        path: 'site/img',
        entry: { name: 'site/img/planted', content: 'new' },
        make: (at: string) => writeFile(at, 'old'),
      },
      {
        path: 'site/a',
        entry: { name: 'site/a', content: 'new' },
        make: (at: string) => mkdir(at),
      },
      {
        path: 'site/a',
        entry: { name: 'site/a', content: 'index.html', ...link },
        make: (at: string) => writeFile(at, 'old'),
      },
    ].entries()) {
      const folder = `collision-${index}`
      await mkdir(join(machine.root, folder, 'site'), { recursive: true })
      await make(join(machine.root, folder, path))
      const archive = zipOf([{ name: 'site/index.html', content: 'new' }, entry])
      await writeFile(join(machine.root, 'collision.zip'), archive)
      const operation = await run('collision.zip', folder, [['existing', 'replace']])
      assert.equal(operation.status, 'failed')
      assert.include(operation.error, `“${path}” is `)
      assert.include(operation.error, 'Nothing was changed.')
      assert.lengthOf(await readdir(join(machine.root, folder, 'site')), 1)
      assert.deepEqual(await readdir(machine.outside), [])
    }
    assert.deepEqual(await left(), [])
  })

  test('replaces existing links by equal links of the archive', async ({ assert }) => {
    const entries = [
      { name: 'a', content: 'new' },
      { name: 'b', content: 'a', mode: 0o120777 },
    ]
    await writeFile(join(machine.root, 'link.zip'), zipOf(entries))
    await mkdir(join(machine.root, 'same links'))
    await symlink('c', join(machine.root, 'same links/b'))
    const operation = await run('link.zip', 'same links', [['existing', 'replace']])
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.equal(await readlink(join(machine.root, 'same links/b')), 'a')
  })

  test('replaces an unchanged starter page by another index file', async ({ assert }) => {
    const starter = renderStarterPage('A & “B” <i>', STARTER_TEXTS.html[0])
    const archives = {
      'html.zip': ['index.html', 'a'],
      'php.zip': ['index.php'],
      'folder.zip': ['site/index.html'],
    }
    for (const [name, files] of Object.entries(archives))
      await writeFile(
        join(machine.root, name),
        zipOf(files.map((file) => ({ name: file, content: 'new' })))
      )
    const unzipBeside = async (archive: string, page: string, folder: string) => {
      await mkdir(join(machine.root, folder))
      await writeFile(join(machine.root, folder, 'index.html'), page)
      return run(archive, folder)
    }
    for (const archive of ['html.zip', 'php.zip'] as const) {
      const operation = await unzipBeside(archive, starter, `starter ${archive}`)
      assert.equal(operation.status, 'done', operation.error ?? '')
      assert.equal(operation.result?.starterPage, 'index.html')
      assert.sameMembers(await readdir(join(machine.root, `starter ${archive}`)), archives[archive])
    }
    assert.equal(await readFile(join(machine.root, 'starter html.zip/index.html'), 'utf8'), 'new')
    const beside = await unzipBeside('folder.zip', starter, 'beside')
    assert.notProperty(beside.result, 'starterPage')
    assert.sameMembers(await readdir(join(machine.root, 'beside')), ['index.html', 'site'])

    const changed = starter.replace('new site', 'own site')
    const kept = await unzipBeside('html.zip', changed, 'changed')
    assert.match(kept.error ?? '', /“index.html” already exists/)
    assert.equal(await readFile(join(machine.root, 'changed/index.html'), 'utf8'), changed)
    await mkdir(join(machine.root, 'clash'))
    await writeFile(join(machine.root, 'clash/a'), 'old')
    await writeFile(join(machine.root, 'clash/index.html'), starter)
    assert.match((await run('html.zip', 'clash')).error ?? '', /“a” already exists/)
    assert.equal(await readFile(join(machine.root, 'clash/index.html'), 'utf8'), starter)
    assert.deepEqual(await left(), [])
  })

  test('waits for an earlier attempt that is still running', async ({ assert }) => {
    await writeFile(join(machine.root, 'orphan.zip'), zipOf([{ name: 'orphan', content: 'x' }]))
    const operation = await start('orphan.zip')
    const waiting = await runBesideEarlierAttempt(operation)
    const { note } = waiting.steps.find(({ key }) => key === 'unpack')!
    assert.deepEqual([waiting.status, note], ['running', 'An earlier attempt is still running.'])
    assert.isAbove(waiting.dueAt.diffNow().as('seconds'), 30)
    await runSteps(operation.id)
    assert.equal((await Operation.findOrFail(operation.id)).status, 'done')
    assert.equal(await readFile(join(machine.root, 'orphan'), 'utf8'), 'x')
    assert.deepEqual(await left(), [])
  })

  for (const isCancelled of [true, false]) {
    const end = isCancelled ? 'a cancellation' : 'a failure'
    test(`deletes its files after ${end} when an earlier attempt ends`, async ({ assert }) => {
      await writeFile(join(machine.root, 'fake.zip'), 'no archive at all, only text')
      const operation = await start('fake.zip')
      if (isCancelled) await cancelOperation(operation)
      const waiting = await runBesideEarlierAttempt(operation)
      assert.equal(waiting.status, 'running')
      assert.equal(waiting.steps[0].note, 'An earlier attempt is still running.')
      assert.lengthOf(await left(), 1)
      await runSteps(operation.id)
      const { status, error } = await Operation.findOrFail(operation.id)
      assert.equal(status, 'failed')
      assert.equal(error, isCancelled ? 'Cancelled. Nothing was changed.' : 'Not a zip file')
      assert.deepEqual(await left(), [])
    })
  }

  test('accepts only names that end in .zip', async ({ assert }) => {
    await writeFile(join(machine.root, 'text.txt'), 'x')
    const answer = await unzip('text.txt')
    assert.equal(answer.status, 422)
    assert.equal(answer.json.message, 'Not a zip file')
    await writeFile(join(machine.root, 'fake.zip'), 'no archive at all, only text of some length')
    const operation = await run('fake.zip')
    assert.equal(operation.error, 'Not a zip file')
    assert.equal((await unzip('missing.zip')).status, 404)
  })

  for (const [what, entries] of wicked) {
    test(`rejects ${what} and leaves no files`, async ({ assert }) => {
      await writeFile(
        join(machine.root, 'wicked.zip'),
        Buffer.isBuffer(entries) ? entries : zipOf(entries)
      )
      const before = await readdir(machine.root)
      const operation = await run('wicked.zip')
      assert.equal(operation.status, 'failed')
      assert.match(operation.error ?? '', /Nothing was unpacked/)
      assert.deepEqual(await readdir(machine.root), before)
      assert.deepEqual(await readdir(machine.outside), [])
    })
  }

  test('stops at an archive with more bytes than its directory states', async ({ assert }) => {
    const lie = { name: 'lie', content: Buffer.alloc(30_000_000), claims: 10 }
    await writeFile(join(machine.root, 'liar.zip'), zipOf([lie]))
    const operation = await run('liar.zip')
    assert.equal(operation.status, 'failed')
    assert.match(operation.error ?? '', /more than its file list says/)
    assert.notInclude(await readdir(machine.root), 'lie')
    assert.deepEqual(await left(), [])
  })

  test('rejects too many entries by reading only the directory of the archive', async ({
    assert,
  }) => {
    const refused = async (archive: Buffer, size?: number) => {
      try {
        await inspect(archive, size)
        return null
      } catch (error) {
        return (error as AppError).message
      }
    }
    assert.match((await refused(zipOf([], { count: 0xffff }))) ?? '', /more than 50,000/)
    assert.match(
      (await refused(zipOf([], { count: MAX_ARCHIVE_ENTRIES + 1 }))) ?? '',
      /more than 50,000/
    )
    const claimed = zipOf([{ name: 'a' }], { count: 2 })
    assert.match((await refused(claimed)) ?? '', /damaged/)
    assert.equal(await refused(Buffer.from('PK')), 'Not a zip file')
  })
})
