import { WebRoot } from '#files/machine/web_root'
import { AppError } from '#core/app_error'
import { startWebRootMachine, type WebRootMachine } from '#tests/support/web_root_machine'
import { makeCustomer, makeVisitor, signIn, type Visitor } from '#tests/support/people'
import { SshMachine } from '#packages/machine/main'
import { test } from '@japa/runner'
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Machine that the tests attack by path traversal (`..`, absolute, encoded, NUL), by symbolic
 * links, and from other accounts.
 */
let machine: WebRootMachine
let visitor: Visitor
let other: Visitor
let id: number

const secret = 'nobody may read this'

function calls(path: string): [string, string, Record<string, string>?][] {
  const query = new URLSearchParams({ path, server_instance_id: String(id) })
  const unzip = new URLSearchParams({ file_path: `${path}.zip`, server_instance_id: String(id) })
  return [
    ['GET', `/file-manager?${query}`],
    ['GET', `/file-manager/file?${query}`],
    ['GET', `/file-manager/download-file?${query}`],
    ['GET', `/file-manager/download-folder?${query}`],
    ['POST', '/file-manager/update-file', { path, content: 'x' }],
    ['POST', '/file-manager/store', { path, name: 'new', type: 'file' }],
    ['POST', '/file-manager/store', { path, name: 'new', type: 'folder' }],
    ['POST', '/file-manager/delete', { type: 'file', path }],
    ['POST', '/file-manager/delete', { type: 'folder', path: `${path}/sub` }],
    ['POST', '/file-manager/rename', { oldPath: `${path}/secret`, newPath: 'stolen' }],
    ['POST', '/file-manager/rename', { oldPath: 'mine', newPath: `${path}/planted` }],
    ['POST', `/file-manager/unzip-file?${unzip}`, {}],
  ]
}

async function make([method, path, body]: [string, string, Record<string, string>?], by = visitor) {
  if (method === 'POST') return by.post(path, { server_instance_id: id, ...body })
  const page = await by.page(path)
  return page
}

async function untouched(): Promise<string[]> {
  const { mode } = await stat(join(machine.outside, 'secret'))
  return [
    ...((mode & 0o777) === 0o644 ? [] : ['another mode']),
    ...(await readdir(machine.outside)).sort(),
    await readFile(join(machine.outside, 'secret'), 'utf8'),
  ]
}

test.group('Attacks on the file manager', (group) => {
  group.setup(async () => {
    machine = await startWebRootMachine()
    const customer = await makeCustomer()
    id = (await machine.instanceOf(customer)).id
    visitor = await signIn(customer)
    other = await signIn(await makeCustomer())
    await writeFile(join(machine.outside, 'secret'), secret)
    await mkdir(join(machine.outside, 'sub'))
    await writeFile(join(machine.root, 'mine'), 'mine')
    return () => machine.stop()
  })

  for (const path of [
    '../outside',
    '/../outside',
    '%2e%2e/outside',
    '//etc',
    'a\0',
    'x/../../outside',
  ]) {
    test(`the path ${JSON.stringify(path)} is rejected by every call (422)`, async ({ assert }) => {
      for (const one of calls(path)) {
        const { status, text } = await make(one)
        assert.equal(status, 422, `${one[0]} ${one[1]}: ${text.slice(0, 200)}`)
      }
      assert.deepEqual(await untouched(), ['secret', 'sub', secret])
    })
  }

  test('no call follows a link that leads out of the web root', async ({ assert }) => {
    await symlink(machine.outside, join(machine.root, 'out'))
    await symlink(join(machine.outside, 'secret'), join(machine.root, 'out-file'))
    await symlink('../outside', join(machine.root, 'relative'))
    for (const path of [
      'out',
      'out-file',
      'relative',
      'out/sub',
      'relative/secret',
      'out/secret',
    ]) {
      for (const one of calls(path).slice(0, 7)) {
        const { status, text } = await make(one)
        const page = one[0] === 'GET' && status === 200 ? text : ''
        assert.isFalse(text.includes(secret))
        if (page) assert.match(page, /leads outside the web root|This is not a f/)
        else
          assert.includeMembers(
            [404, 409, 422],
            [status],
            `${one[1]} ${path}: ${text.slice(0, 200)}`
          )
      }
    }
    for (const [oldPath, newPath] of [
      ['out/secret', 'stolen'],
      ['mine', 'out/planted'],
      ['mine', 'relative/planted'],
    ]) {
      assert.equal(
        (await visitor.post('/file-manager/rename', { oldPath, newPath, server_instance_id: id }))
          .status,
        422
      )
    }
    const remove = (type: string, path: string) =>
      visitor.post('/file-manager/delete', { type, path, server_instance_id: id })
    assert.equal((await remove('folder', 'out/sub')).status, 422)
    // Deleting a symbolic link must not delete its target.
    assert.equal((await remove('folder', 'out')).status, 200)
    assert.equal((await remove('file', 'out-file')).status, 200)
    assert.deepEqual(await untouched(), ['secret', 'sub', secret])
  })

  test('a folder that is swapped for a link during a call does not lead out of the web root', async ({
    assert,
  }) => {
    const direct = new SshMachine(machine.sshd.target)
    const root = new WebRoot(direct)
    const place = join(machine.root, 'swapped')
    await mkdir(place)
    await writeFile(join(place, 'secret'), 'harmless')
    await symlink(machine.outside, join(machine.root, 'swap-link'))
    let swapping = true
    const swap = async () => {
      while (swapping) {
        await rename(place, join(machine.root, 'swap-kept'))
        await rename(join(machine.root, 'swap-link'), place)
        await rename(place, join(machine.root, 'swap-link'))
        await rename(join(machine.root, 'swap-kept'), place)
      }
    }
    const attacker = swap()
    let refused = 0
    for (let round = 0; round < 12; round++) {
      const tries = [
        async () => {
          const { content } = await root.read('swapped/secret', 100)
          assert.equal(content.toString(), 'harmless')
        },
        () => root.make('swapped', 'file', `planted-${round}`),
        () => root.delete('swapped/sub', 'folder'),
        () => root.copy(['mine'], 'swapped').then(() => root.deleteMany(['swapped/mine'])),
        () => root.move(['swapped/sub'], ''),
        () => root.deleteMany(['swapped/sub']),
        () => root.changeMode(['swapped/secret'], '777', true),
      ]
      for (const one of tries) {
        try {
          await one()
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          refused++
        }
      }
    }
    swapping = false
    await attacker
    await direct.close()
    assert.isAbove(refused, 0)
    assert.deepEqual(await untouched(), ['secret', 'sub', secret])
    await rm(join(machine.root, 'swap-link'))
  })

  test('no call can access instances of other accounts', async ({ assert }) => {
    for (const one of calls('mine')) {
      const theirs = await make(one, other)
      assert.equal(theirs.status, 404, `${one[1]}: ${theirs.text.slice(0, 200)}`)
      assert.isFalse(theirs.text.includes('harmless'))
    }
    const signedOut = await makeVisitor()
    for (const one of calls('mine').filter(([method]) => method === 'POST')) {
      assert.equal((await make(one, signedOut)).status, 401)
    }
    assert.equal(await readFile(join(machine.root, 'mine'), 'utf8'), 'mine')
  })
})
