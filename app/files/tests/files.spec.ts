import { ServerInstance } from '#instances/public'
import { MAX_EDIT_BYTES, MAX_UPLOAD_BYTES } from '#files/errors'
import { eventually } from '#tests/support/eventually'
import { startWebRootMachine, type WebRootMachine } from '#tests/support/web_root_machine'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'

const oddNames = [
  'two words.txt',
  `it's "quoted" $(touch x) \`y\`.txt`,
  'two\nlines.txt',
  '-rf',
  '*',
  'ভাষা — ñandú 🚢.txt',
  '100%25.txt',
  ' ends with space ',
  'back\\slash',
  'n'.repeat(251) + '.txt',
]

/** File names that are valid on Linux, but that requests must send encoded. */
const unplainNames: [string, Buffer][] = [
  ['an encoded slash', Buffer.from('a%2fb')],
  ['an encoded NUL', Buffer.from('a%00b')],
  ['an encoded “..”', Buffer.from('%2e%2e')],
  ['a byte that is no UTF-8', Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x5c, 0x0a, 0x81, 0xff])],
]

let machine: WebRootMachine
let visitor: Visitor
let id: number

function at(path: string, query: Record<string, string> = {}): string {
  const all = new URLSearchParams({ ...query, server_instance_id: String(id) })
  return `/file-manager${path}?${all}`
}

function upload(name: string, content: Buffer | string, query: Record<string, string> = {}) {
  const form = new FormData()
  form.append('path', query.path ?? '')
  form.append('file', new Blob([content as never]), name)
  return visitor.fetch(at('/upload-file', { name, ...query }), { method: 'POST', body: form })
}

async function raw(path: string, headers: Record<string, string> = {}) {
  const response = await visitor.fetch(path, { headers })
  return { response, bytes: Buffer.from(await response.arrayBuffer()) }
}

test.group('The file manager', (group) => {
  group.setup(async () => {
    machine = await startWebRootMachine()
    const customer = await makeCustomer()
    id = (await machine.instanceOf(customer)).id
    visitor = await signIn(customer)
    return () => machine.stop()
  })

  test('lists files with size, time, mode and links', async ({ assert }) => {
    const folder = join(machine.root, 'listed')
    await mkdir(join(folder, 'sub'), { recursive: true })
    await writeFile(join(folder, 'a.txt'), 'four')
    await chmod(join(folder, 'a.txt'), 0o640)
    await symlink('sub', join(folder, 'to-sub'))
    await symlink('nowhere', join(folder, 'broken'))
    await writeFile(join(folder, '.berth-left.part'), '')
    const { json, status } = await visitor.page(at('', { path: '/listed' }))
    assert.equal(status, 200)
    assert.equal(json.component, 'customer/file_manager/list')
    const props = json.props as {
      path: string
      files: { name: string }[]
      directories: { name: string; link?: string }[]
    }
    assert.equal(props.path, 'listed')
    assert.deepEqual(
      props.directories.map(({ name, link }) => [name, link]),
      [
        ['sub', undefined],
        ['to-sub', 'sub'],
      ]
    )
    assert.deepEqual(
      props.files.map(({ name }) => name),
      ['a.txt', 'broken']
    )
    const { mtimeMs } = await stat(join(folder, 'a.txt'))
    const [first] = props.files as unknown as { size: number; mode: string; modified: string }[]
    assert.equal(first.size, 4)
    assert.equal(first.mode, '0640')
    assert.closeTo(Date.parse(first.modified), mtimeMs, 2)
    assert.equal((await visitor.page(at('', { path: 'missing' }))).status, 404)
  })

  test('lists ten thousand files in one response', async ({ assert }) => {
    const folder = join(machine.root, 'many')
    await mkdir(folder)
    for (let one = 0; one < 10_000; one++) await writeFile(join(folder, `file-${one}`), '')
    const { json } = await visitor.page(at('', { path: 'many' }))
    assert.lengthOf(json.props?.files as unknown[], 10_000)
  })

  for (const name of oddNames) {
    const shown = JSON.stringify(name).slice(0, 40)
    test(`creates, lists, saves, renames, downloads and deletes ${shown}`, async ({ assert }) => {
      await mkdir(join(machine.root, 'odd'), { recursive: true })

      const path = `odd/${name}`
      const made = await visitor.post(at('/store'), { path: 'odd', name, type: 'file' })
      assert.equal(made.status, 201, made.text)
      const page = await visitor.page(at('/file', { path: `/${path}` }))
      const saved = await visitor.post(at('/update-file'), {
        path,
        content: name,
        version: page.json.props?.fileVersion,
      })
      assert.equal(saved.status, 200, `${name}: ${saved.text}`)
      const listed = await visitor.page(at('', { path: 'odd' }))
      assert.deepEqual(
        (listed.json.props?.files as { name: string }[]).map((file) => file.name),
        [name]
      )
      const { response, bytes } = await raw(at('/download-file', { path }))
      assert.equal(response.status, 200)
      assert.equal(bytes.toString(), name)
      const other = `odd/moved ${name}`.slice(0, 200)
      const renamed = await visitor.post(at('/rename'), { oldPath: path, newPath: other })
      assert.equal(renamed.status, 200, renamed.text)
      const gone = await visitor.post(at('/delete'), { type: 'file', path: other })
      assert.equal(gone.status, 200, gone.text)
      assert.deepEqual(await readdir(join(machine.root, 'odd')), [])
    })
  }

  for (const [what, bytes] of unplainNames) {
    test(`opens, renames and deletes files with ${what} in their names`, async ({ assert }) => {
      const folder = Buffer.from(join(machine.root, 'unplain', what))
      await mkdir(folder, { recursive: true })
      const below = (name: Buffer) => Buffer.concat([folder, Buffer.from('/'), name])
      await writeFile(below(bytes), 'content')
      await mkdir(below(Buffer.concat([bytes, Buffer.from('.d')])))
      await writeFile(below(Buffer.concat([bytes, Buffer.from('.d/in.txt')])), 'inside')
      const list = async (path: string) =>
        (await visitor.page(at('', { path }))).json.props as {
          path: string
          files: { name: string; wire?: string }[]
          directories: [{ name: string; wire?: string }]
        }
      const listed = await list(`unplain/${what}`)
      const [file] = listed.files
      const [{ name: shown, wire = shown }] = listed.directories
      assert.equal(file!.name, bytes.toString())
      const path = `unplain/${what}/${file!.wire}`
      const page = await visitor.page(at('/file', { path: `/${path}` }))
      assert.equal(page.json.props?.content, 'content', page.text.slice(0, 300))
      assert.equal(page.json.props?.path, path)
      const saved = await visitor.post(at('/update-file'), { path, content: 'changed' })
      assert.equal(saved.status, 200, saved.text)
      const { bytes: down } = await raw(at('/download-file', { path }))
      assert.equal(down.toString(), 'changed')
      const inside = await list(`unplain/${what}/${wire}`)
      assert.equal(inside.path, `unplain/${what}/${wire}`)
      assert.deepEqual(
        inside.files.map(({ name }) => name),
        ['in.txt']
      )
      const newPath = `unplain/${what}/plain.txt`
      const renamed = await visitor.post(at('/rename'), { oldPath: path, newPath })
      assert.equal(renamed.status, 200, renamed.text)
      const moved = await visitor.post(at('/rename'), {
        oldPath: newPath,
        newPath: `unplain/${what}/${wire}/moved.txt`,
      })
      assert.equal(moved.status, 200, moved.text)
      const gone = await visitor.post(at('/delete'), {
        type: 'folder',
        path: `unplain/${what}/${wire}`,
      })
      assert.equal(gone.status, 200, gone.text)
      assert.deepEqual(await readdir(folder), [])
    })
  }

  test('rejects names that Berth reserves for itself', async ({ assert }) => {
    await writeFile(join(machine.root, '.berth-secret'), 'own')
    await writeFile(join(machine.root, 'plain-one'), 'x')
    const hex = Buffer.from('.berth-secret').toString('hex')
    for (const name of ['.berth-x', `.berth-raw-${hex}`, '.berth-raw-2e2e', '.berth-raw-612f62']) {
      const tries = [
        visitor.post(at('/store'), { path: '', name, type: 'file' }),
        visitor.post(at('/rename'), { oldPath: 'plain-one', newPath: name }),
        visitor.post(at('/unzip-file', { file_path: 'a.zip', destination_path: name })),
      ]
      for (const { status, text } of await Promise.all(tries)) assert.equal(status, 422, text)
      assert.equal((await upload(name, 'x')).status, 422)
    }
    for (const path of ['.berth-secret', `.berth-raw-${hex}`]) {
      assert.equal((await raw(at('/download-file', { path }))).response.status, 422)
      const gone = await visitor.post(at('/delete'), { type: 'file', path })
      assert.equal(gone.status, 422)
    }
    assert.equal(await readFile(join(machine.root, '.berth-secret'), 'utf8'), 'own')
    await rm(join(machine.root, '.berth-secret'))
  })

  test('stores one of two concurrent uploads with the same name completely', async ({ assert }) => {
    const contents = ['a', 'b'].map((letter) => Buffer.alloc(3_000_000, letter))
    const answers = await Promise.all(contents.map((content) => upload('twice.bin', content)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
    const winner = contents[answers.findIndex(({ status }) => status === 201)]!
    assert.isTrue(winner.equals(await readFile(join(machine.root, 'twice.bin'))))
  })

  test('creates and renames files only if the name is free', async ({ assert }) => {
    const store = (name: string, type: string) =>
      visitor.post(at('/store'), { path: '/', name, type })
    assert.equal((await store('once', 'folder')).status, 201)
    assert.equal((await store('once', 'folder')).status, 409)
    assert.equal((await store('once', 'file')).status, 409)
    assert.equal((await store('twice', 'file')).status, 201)
    const rename = (oldPath: string, newPath: string) =>
      visitor.post(at('/rename'), { oldPath, newPath })
    assert.equal((await rename('twice', 'once')).status, 409)
    assert.equal((await rename('twice', 'twice')).status, 422)
    assert.equal((await rename('twice', '')).status, 422)
    assert.equal((await rename('never', 'other')).status, 404)
    assert.equal((await rename('once', 'once/inside')).status, 409)
    assert.equal((await rename('twice', 'once/moved')).status, 200)
    assert.deepEqual(await readdir(join(machine.root, 'once')), ['moved'])
  })

  test('deletes a folder with its content, and rejects a wrong type', async ({ assert }) => {
    await mkdir(join(machine.root, 'full/deep'), { recursive: true })
    await writeFile(join(machine.root, 'full/deep/x'), 'x')
    const remove = (type: string, path: string) => visitor.post(at('/delete'), { type, path })
    assert.equal((await remove('file', 'full')).status, 409)
    assert.equal((await remove('folder', 'full/deep/x')).status, 409)
    assert.equal((await remove('folder', '/')).status, 422)
    assert.equal((await remove('folder', 'full')).status, 200)
    assert.equal((await remove('folder', 'full')).status, 404)
  })

  test('the editor keeps bytes and modes, detects changes and rejects binary files', async ({
    assert,
  }) => {
    const file = join(machine.root, 'text.txt')
    const text = 'one\r\ntwo\nthree\r\n\ufefffour'
    await writeFile(file, text)
    await chmod(file, 0o600)
    const page = await visitor.page(at('/file', { path: '/text.txt' }))
    assert.equal(page.json.component, 'customer/file_manager/file')
    assert.equal(page.json.props?.content, text)
    const { fileVersion: version } = page.json.props as { fileVersion: string }
    const save = (content: string, from?: string) =>
      visitor.post(at('/update-file'), {
        path: 'text.txt',
        content,
        ...(from && { version: from }),
      })
    const saved = await save(`${text}\r\nfive`, version)
    assert.equal(saved.status, 200, saved.text)
    assert.equal(await readFile(file, 'utf8'), `${text}\r\nfive`)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const late = await save('mine', version)
    assert.equal(late.status, 409)
    assert.equal(await readFile(file, 'utf8'), `${text}\r\nfive`)
    assert.equal((await save('again', saved.json.data?.version as string)).status, 200)
    assert.equal((await save('whatever is there')).status, 200)
    assert.equal((await save('')).status, 200)
    assert.equal(await readFile(file, 'utf8'), '')
    assert.equal((await save('x'.repeat(MAX_EDIT_BYTES + 1))).status, 413)

    await writeFile(join(machine.root, 'binary'), Buffer.from([1, 0, 2]))
    await writeFile(join(machine.root, 'large'), Buffer.alloc(MAX_EDIT_BYTES + 1, 'x'))
    for (const path of ['binary', 'large']) {
      const refused = await visitor.page(at('/file', { path }))
      assert.isNull(refused.json.props?.content)
      assert.match(refused.json.props?.problem as string, /Download it instead/)
    }
    assert.equal((await visitor.page(at('/file', { path: 'once' }))).status, 409)
  })

  test('the editor opens and saves a text in its encoding', async ({ assert }) => {
    const path = 'encoded.txt'
    const file = join(machine.root, path)
    const open = async () =>
      (await visitor.page(at('/file', { path }))).json.props as {
        content: string | null
        encoding: string | null
        fileVersion: string
      }
    const save = (content: string, version: string, encoding?: string) =>
      visitor.post(at('/update-file'), { path, content, version, ...(encoding && { encoding }) })
    const cases: [string, string, Buffer][] = [
      ['utf-8', 'naïve', Buffer.from('naïve')],
      ['utf-8', '\ufeffnaïve', Buffer.from('\ufeffnaïve')],
      ['windows-1252', 'naïve\r\n', Buffer.from('na\xefve\r\n', 'latin1')],
      ['windows-1252', '“5 €” ÿŸ', Buffer.from('\x935 \x80\x94 \xff\x9f', 'latin1')],
      ['utf-16le', '\ufeffñ🚢', Buffer.from('\ufeffñ🚢', 'utf16le')],
      ['utf-16be', '\ufeffñ🚢', Buffer.from('\ufeffñ🚢', 'utf16le').swap16()],
    ]
    for (const [encoding, text, bytes] of cases) {
      await writeFile(file, bytes)
      const seen = await open()
      assert.deepEqual([seen.encoding, seen.content], [encoding, text])
      const saved = await save(`${text}é`, seen.fileVersion, encoding)
      assert.equal(saved.status, 200, saved.text)
      assert.equal((await open()).content, `${text}é`)
      const same = await save(text, saved.json.data?.version as string, encoding)
      assert.equal(same.status, 200, same.text)
      assert.isTrue(bytes.equals(await readFile(file)), `${encoding} ${text}`)
    }

    const old = Buffer.from('caf\xe9', 'latin1')
    await writeFile(file, old)
    const { fileVersion } = await open()
    const refused = await save('café ভাষা → \x81', fileVersion, 'windows-1252')
    assert.equal(refused.status, 422)
    assert.equal(refused.json.code, 'encoding')
    assert.match(refused.json.message as string, /does not contain “ভ”, .* Save the file as UTF-8/)
    assert.isTrue(old.equals(await readFile(file)))
    assert.equal((await save('x', fileVersion, 'latin1')).status, 422)
    assert.equal((await save('café ভাষা', fileVersion, 'utf-8')).status, 200)
    assert.equal(await readFile(file, 'utf8'), 'café ভাষা')
    const { fileVersion: version } = await open()
    assert.equal((await save('', version, 'utf-16le')).status, 200)
    assert.deepEqual(await readFile(file), Buffer.from([0xff, 0xfe]))

    for (const bytes of [
      [0xe9, 0],
      [0xe9, 1],
      [0xe9, 0x81],
      [0xff, 0xfe, 0x41],
      [0xff, 0xfe, 0, 0xd8],
      [0xff, 0xfe, 0, 0, 0x41, 0],
    ]) {
      await writeFile(file, Buffer.from(bytes))
      assert.isNull((await open()).content, bytes.join(' '))
    }
  })

  test('saves through a link without replacing it', async ({ assert }) => {
    await mkdir(join(machine.root, 'linked'))
    await writeFile(join(machine.root, 'linked/real.txt'), 'old')
    await symlink('linked/real.txt', join(machine.root, 'link.txt'))
    const saved = await visitor.post(at('/update-file'), { path: 'link.txt', content: 'new' })
    assert.equal(saved.status, 200, saved.text)
    assert.equal(await readFile(join(machine.root, 'linked/real.txt'), 'utf8'), 'new')
    assert.deepEqual(await readdir(join(machine.root, 'linked')), ['real.txt'])
  })

  test('stores uploads completely, and asks before it overwrites a file', async ({ assert }) => {
    await mkdir(join(machine.root, 'up'))
    const content = randomBytes(20 * 1024 * 1024 + 7)
    const first = await upload('data.bin', content, { path: 'up' })
    assert.equal(first.status, 201, await first.text())
    assert.isTrue(content.equals(await readFile(join(machine.root, 'up/data.bin'))))
    assert.equal((await upload('data.bin', 'other', { path: 'up' })).status, 409)
    assert.isTrue(content.equals(await readFile(join(machine.root, 'up/data.bin'))))
    const over = await upload('data.bin', 'other', { path: 'up', overwrite: '1' })
    assert.equal(over.status, 201, await over.text())
    assert.equal(await readFile(join(machine.root, 'up/data.bin'), 'utf8'), 'other')
    assert.equal((await upload('empty', '', { path: 'up' })).status, 201)
    assert.equal((await stat(join(machine.root, 'up/empty'))).size, 0)
    assert.equal((await upload('x', 'y', { path: 'missing' })).status, 404)
    // A name in decomposed Unicode, as macOS sends it.
    assert.equal((await upload('u\u0308', 'x', { path: 'up' })).status, 201)
    assert.equal(await readFile(join(machine.root, 'up/ü'), 'utf8'), 'x')
    assert.equal((await upload('ü', 'x', { path: 'up' })).status, 409)
    for (const name of oddNames) {
      assert.equal((await upload(name, name, { path: 'up' })).status, 201)
      assert.equal(await readFile(join(machine.root, 'up', name), 'utf8'), name)
    }
  })

  test('accepts the specified upload form without query string', async ({ assert }) => {
    const form = new FormData()
    form.append('file', new Blob(['plain']), 'plain form.txt')
    form.append('path', '/up')
    const sent = await visitor.fetch(at('/upload-file'), { method: 'POST', body: form })
    assert.equal(sent.status, 201, await sent.text())
    assert.equal(await readFile(join(machine.root, 'up/plain form.txt'), 'utf8'), 'plain')
    const again = await visitor.fetch(at('/upload-file'), { method: 'POST', body: form })
    assert.equal(again.status, 409)
    const nothing = new FormData()
    nothing.append('path', '/up')
    assert.equal(
      (await visitor.fetch(at('/upload-file'), { method: 'POST', body: nothing })).status,
      422
    )
  })

  test('stores several small files of one request: all or none', async ({ assert }) => {
    const folder = join(machine.root, 'together')
    await mkdir(folder)
    await symlink('/etc', join(machine.root, 'out-many'))
    const sendMany = async (files: [string, string | Buffer][], path = 'together') => {
      const form = new FormData()
      for (const [name, content] of files) {
        form.append(encodeURIComponent(name), new Blob([content as never]), name)
      }
      const { status } = await visitor.fetch(at('/upload-files', { path }), {
        method: 'POST',
        body: form,
      })
      return status
    }
    const hidden = async () =>
      [...(await readdir(machine.root)), ...(await readdir(folder))].filter(
        (name) => name.startsWith('.berth-') && name !== '.berth-left.part'
      )
    const odd = oddNames.map((name): [string, string] => [name, `of ${name}`])
    assert.equal(await sendMany([...odd, ['.dot', ''], ['..dots', 'x'.repeat(256 * 1024)]]), 201)
    for (const [name, content] of odd) {
      assert.equal(await readFile(join(folder, name), 'utf8'), content)
    }
    const { size, mode } = await stat(join(folder, '..dots'))
    assert.deepEqual([size, mode & 0o777], [256 * 1024, 0o644])
    assert.equal((await stat(join(folder, '.dot'))).size, 0)

    const before = await readdir(folder)
    const many = Array.from({ length: 501 }, (_, one): [string, string] => [`${one}`, ''])
    for (const [status, files, path] of [
      [409, [['fresh', '1'], ...odd.slice(0, 1)]],
      [
        409,
        [
          ['fresh', '1'],
          ['.dot', ''],
        ],
      ],
      [
        409,
        [
          ['fresh', '1'],
          ['fresh', '2'],
        ],
      ],
      [
        413,
        [
          ['fresh', '1'],
          ['big', 'x'.repeat(256 * 1024 + 1)],
        ],
      ],
      [413, many],
      [413, Array.from({ length: 40 }, (_, one) => [`${one}`, 'x'.repeat(256 * 1024)])],
      [
        422,
        [
          ['fresh', '1'],
          ['.berth-last', ''],
        ],
      ],
      [422, []],
      [404, [['fresh', '1']], 'missing'],
      [422, [['fresh', '1']], 'out-many'],
      [422, [['fresh', '1']], '../etc'],
    ] as [number, [string, string][], string?][]) {
      assert.equal(await sendMany(files, path), status, JSON.stringify([path, files.slice(0, 2)]))
    }
    assert.sameMembers(await readdir(folder), before)
    await eventually(async () => assert.deepEqual(await hidden(), []))
    assert.equal(await sendMany(many.slice(0, 500)), 201)
    assert.lengthOf(await readdir(folder), before.length + 500)

    const form = new FormData()
    form.append('file', new Blob(['1']), 'plain one')
    form.append('file', new Blob(['2']), 'plain two')
    const sent = await visitor.fetch(at('/upload-files', { path: '/together' }), {
      method: 'POST',
      body: form,
    })
    const { data } = (await sent.json()) as { data: unknown }
    assert.deepEqual(data, { paths: ['together/plain one', 'together/plain two'] })
    assert.equal(await readFile(join(folder, 'plain two'), 'utf8'), '2')
    assert.equal(
      (await visitor.fetch(at('/upload-files'), { method: 'POST', body: form })).status,
      422
    )
  })

  test('deletes an interrupted upload, and rejects one above the limit', async ({ assert }) => {
    const left = async () =>
      (await readdir(machine.root)).filter(
        (name) => name.startsWith('.berth-') && name !== '.berth-left.part'
      )
    /**
     * Starts a form upload whose body the test writes piece by piece. Ignores errors, because the
     * test may interrupt the upload.
     */
    const sending = (path: string, length = {}) => {
      const type = { 'content-type': 'multipart/form-data; boundary=b', ...length }
      const headers = { ...visitor.headers, ...type }
      return request(new URL(visitor.base + path), { method: 'POST', headers }).on(
        'error',
        () => {}
      )
    }
    const cut = sending(at('/upload-file', { path: '', name: 'cut.bin' }), {
      'content-length': 5_000_000,
    })
    cut.write('--b\r\nContent-Disposition: form-data; name="file"; filename="cut.bin"\r\n\r\n')
    cut.write(Buffer.alloc(1_000_000, 'x'))
    await eventually(async () => assert.lengthOf(await left(), 1))
    cut.destroy()
    await eventually(async () => assert.deepEqual(await left(), []))
    assert.notInclude(await readdir(machine.root), 'cut.bin')

    const many = sending(at('/upload-files', { path: '/' }))
    const part = (name: string) =>
      `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\nwhole\r\n`
    many.write(part('cut-1') + part('cut-2') + part('cut-3'))
    await eventually(async () => assert.lengthOf(await left(), 1))
    many.destroy()
    await eventually(async () => assert.deepEqual(await left(), []))
    assert.isFalse((await readdir(machine.root)).some((name) => name.startsWith('cut-')))

    const huge = sending(at('/upload-file', { path: '', name: 'cut.bin' }), {
      'content-length': MAX_UPLOAD_BYTES + 1_000_000,
    })
    const answered = new Promise<number | undefined>((resolve, reject) => {
      huge.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject)
    })
    huge.flushHeaders()
    assert.equal(await answered, 413)
    huge.destroy()
  })

  test('downloads whole files and ranges', async ({ assert }) => {
    const content = randomBytes(3_000_001)
    await writeFile(join(machine.root, 'down.bin'), content)
    const whole = await raw(at('/download-file', { path: '/down.bin' }))
    assert.equal(whole.response.status, 200)
    assert.isTrue(content.equals(whole.bytes))
    assert.equal(whole.response.headers.get('content-length'), '3000001')
    assert.equal(whole.response.headers.get('x-content-type-options'), 'nosniff')
    assert.match(
      whole.response.headers.get('content-disposition') ?? '',
      /^attachment; filename="down.bin"/
    )
    const part = await raw(at('/download-file', { path: 'down.bin' }), {
      range: 'bytes=1000000-2999999',
    })
    assert.equal(part.response.status, 206)
    assert.equal(part.response.headers.get('content-range'), 'bytes 1000000-2999999/3000001')
    assert.isTrue(content.subarray(1_000_000, 3_000_000).equals(part.bytes))
    const beyond = await raw(at('/download-file', { path: 'down.bin' }), {
      range: 'bytes=4000000-',
    })
    assert.equal(beyond.response.status, 416)
    const old = await raw(at('/download-file', { path: 'down.bin' }), {
      range: 'bytes=0-9',
      'if-range': '"old"',
    })
    assert.equal(old.response.status, 200)
    await writeFile(join(machine.root, 'none'), '')
    assert.equal((await raw(at('/download-file', { path: 'none' }))).bytes.length, 0)
    assert.equal((await raw(at('/download-file', { path: 'nothing' }))).response.status, 404)
    assert.equal((await raw(at('/download-file', { path: 'up' }))).response.status, 409)
  })

  test('audits changes by staff, also for the customer; support staff can only read', async ({
    assert,
  }) => {
    await writeFile(join(machine.root, 'staff.txt'), 'text')
    const change = async (role: 'administrator' | 'support', oldPath = 'staff.txt') => {
      const staff = await signIn(await makeStaff(role))
      return staff.post('/admin' + at('/rename'), { oldPath, newPath: `${role}.txt` })
    }
    const entries = () =>
      db.from('audit_entries').where({ subject_type: 'server_instance', subject_id: String(id) })
    assert.equal((await change('support')).status, 403)
    await change('administrator', 'not-there.txt')
    assert.lengthOf(await entries(), 0)
    const renamed = await change('administrator')
    assert.equal(renamed.status, 200, renamed.text)
    const [entry] = await entries()
    assert.equal(entry.action, 'files.rename')
    assert.equal(entry.account_id, (await ServerInstance.findOrFail(id)).accountId)
    assert.deepEqual(entry.after, { oldPath: 'staff.txt', newPath: 'administrator.txt' })
  })

  test('audits each read by staff once, also for the customer, but not listings', async ({
    assert,
  }) => {
    const path = 'read by staff.txt'
    await writeFile(join(machine.root, path), 'a text of ten or more letters')
    await writeFile(join(machine.root, 'binary by staff'), Buffer.from([0, 1]))
    const support = await signIn(await makeStaff('support'))
    const { accountId } = await ServerInstance.findOrFail(id)
    const reads = async () => {
      const rows = await db
        .from('audit_entries')
        .where({ account_id: accountId })
        .whereIn('action', ['files.read', 'files.download'])
        .orderBy('id')
      return rows.map(({ action, after }) => [action, after.path])
    }
    const ask = (call: string, query = {}, headers = {}) =>
      support.get('/admin' + at(call, query), headers)
    await ask('')
    await ask('/file', { path: 'missing' })
    await ask('/file', { path: 'binary by staff' })
    await ask('/download-file', { path: 'missing' })
    assert.deepEqual(await reads(), [])
    const page = await support.page('/admin' + at('/file', { path: `/${path}` }))
    assert.equal(page.status, 200)
    assert.deepEqual(await reads(), [['files.read', path]])
    // A media player, or a client that retries, requests a file in several ranges. The audit log gets
    // one entry for all.
    for (const range of ['bytes=0-4', 'bytes=5-9', 'bytes=10-']) {
      assert.equal((await ask('/download-file', { path }, { range })).status, 206)
    }
    const both = [
      ['files.read', path],
      ['files.download', path],
    ]
    assert.deepEqual(await reads(), both)
    // A range that does not begin at the first byte gets an audit entry too.
    const other = await signIn(await makeStaff('administrator'))
    const rest = { range: 'bytes=1-' }
    await other.get('/admin' + at('/download-file', { path }), rest)
    assert.deepEqual(await reads(), [...both, ['files.download', path]])
    await raw(at('/download-file', { path }))
    assert.lengthOf(await reads(), 3)
  })

  test('reports an unreachable machine, and the page stays usable', async ({ assert }) => {
    await machine.sshd.kill()
    const refused = await visitor.post(at('/store'), { path: '', name: 'x', type: 'file' })
    assert.equal(refused.status, 503)
    const page = await visitor.page(at(''))
    assert.equal(page.status, 200)
    assert.match(page.json.props?.problem as string, /cannot be reached/)
    await machine.sshd.start()
    const made = await visitor.post(at('/store'), { path: '', name: 'x', type: 'file' })
    assert.equal(made.status, 201, made.text)
  })
})
