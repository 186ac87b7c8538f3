import type Person from '#identity/models/person'
import { MAX_UPLOAD_BYTES } from '#vault/limits'
import type Vault from '#vault/models/vault'
import { makeVault, startTestVaultService, upload } from '#vault/tests/fixtures'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'

interface Listed {
  folders: string[]
  files: { name: string; path: string; size: number; last_modified: string }[]
  next: string | null
}

test.group('Objects of a vault', (group) => {
  let customer: Person
  let visitor: Visitor
  let vault: Vault

  group.each.setup(async () => {
    await startTestVaultService()
    customer = await makeCustomer()
    visitor = await signIn(customer)
    vault = await makeVault(customer)
  })

  const seen = async (query = '') =>
    (await visitor.page(`/vault/${vault.id}${query}`)).json.props!.objects as Listed

  const post = (path: `/vault/${string}`, body: object) =>
    visitor.post(path, { vault_id: vault.id, ...body })

  test('are listed by folder and searched by prefix', async ({ assert }) => {
    await upload(vault, '', 'harbour.txt', 'Hello')
    await upload(vault, '', 'ship.txt')
    await upload(vault, 'photos/2026', 'boat.txt')
    const top = await seen()
    assert.deepEqual(top.folders, ['photos'])
    assert.containSubset(top.files, [{ name: 'harbour.txt', path: 'harbour.txt', size: 5 }])
    const below = await seen('?path=photos/2026')
    assert.containSubset(below.files, [{ name: 'boat.txt', path: 'photos/2026/boat.txt' }])
    const found = await seen('?search=har')
    assert.deepEqual([found.folders, found.files.map(({ name }) => name)], [[], ['harbour.txt']])
    const { json } = await visitor.get(`/vault/${vault.id}/objects?path=&after=harbour.txt`)
    const { files } = json.data!.objects as Listed
    assert.deepEqual(
      files.map(({ name }) => name),
      ['ship.txt']
    )
  })

  test('folders have valid names and are created once', async ({ assert }) => {
    const make = (name: string, path = '') =>
      post('/vault/object/store', { type: 'folder', name, path })
    assert.equal((await make('photos')).status, 201)
    assert.equal((await make('শুভ সকাল', 'photos')).status, 201)
    assert.equal((await make('photos')).status, 409)
    for (const name of ['', '..', '.', 'a/b', 'x\u0000y', 'a'.repeat(1_025)]) {
      const { status, json } = await make(name)
      assert.equal(status, 422, JSON.stringify(name))
      assert.property(json.errors, 'name')
    }
    assert.equal((await make('a', '../other')).status, 422)
    assert.equal((await make('more', '/photos/')).status, 201)
    assert.deepEqual((await seen('?path=photos')).folders, ['photos/more', 'photos/শুভ সকাল'])
    assert.deepEqual((await seen('?path=/photos/')).folders, ['photos/more', 'photos/শুভ সকাল'])
  })

  test('are deleted one by one, by folder, and several at once', async ({ assert }) => {
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await upload(vault, '', name)
    await upload(vault, 'deep/er', 'd.txt')
    const remove = (type: string, path: string) => post('/vault/object/delete', { type, path })
    assert.equal((await remove('file', 'a.txt')).status, 200)
    assert.equal((await remove('folder', 'none')).status, 404)
    assert.equal((await remove('other', 'a.txt')).status, 422)
    assert.equal((await remove('folder', 'deep')).status, 200)
    const files = ['b.txt', 'c.txt']
    const { json } = await post('/vault/object/delete-many', { files })
    assert.equal(json.data!.removed, 2)
    assert.deepEqual(await seen(), { folders: [], files: [], next: null })
  })

  test('are uploaded with signed links, and overwrite only on request', async ({ assert }) => {
    const asked = { path: 'photos', name: 'boat.txt', size: 5 }
    const { status, json } = await post('/vault/object/upload', asked)
    assert.equal(status, 200)
    const put = (body: string) =>
      fetch(json.data!.url as string, {
        method: 'PUT',
        body,
        headers: { 'content-type': 'text/plain', origin: 'http://127.0.0.1' },
      })
    assert.equal((await put('too long for it')).status, 403)
    const stored = await put('Hello')
    assert.equal(stored.status, 200)
    assert.equal(stored.headers.get('access-control-allow-origin'), '*')
    assert.containSubset((await seen('?path=photos')).files, [{ name: 'boat.txt', size: 5 }])

    const again = await post('/vault/object/upload', asked)
    assert.equal(again.status, 409)
    assert.equal(again.json.code, 'exists')
    assert.equal((await post('/vault/object/upload', { ...asked, overwrite: true })).status, 200)
    assert.equal((await post('/vault/object/upload', { ...asked, name: 'boat.tx' })).status, 200)
    const large = { ...asked, name: 'film.mp4', size: MAX_UPLOAD_BYTES + 1 }
    assert.equal((await post('/vault/object/upload', large)).status, 413)
    assert.equal((await post('/vault/object/upload', { ...asked, name: 'a/b' })).status, 422)
  })

  test('are shared by links that expire, also from a private vault', async ({ assert }) => {
    await upload(vault, '', 'a.txt', 'Hello')
    const { url } = await startTestVaultService()
    const address = `${url}/${vault.key}/a.txt`
    await visitor.post('/vault/update', { id: vault.id, is_private: true })
    assert.equal((await fetch(address)).status, 403)
    const shared = await post('/vault/object/share', { name: 'a.txt', expires: 86_400 })
    const link = shared.json.data!.url as string
    assert.equal(await (await fetch(link)).text(), 'Hello')
    assert.equal((await post('/vault/object/share', { name: 'a.txt', expires: 5 })).status, 422)

    const open = await visitor.get(`/vault/${vault.id}/open?name=a.txt&download=1`)
    assert.equal(open.status, 302)
    const opened = await fetch(open.headers.get('location')!)
    assert.match(opened.headers.get('content-disposition')!, /^attachment/)

    assert.equal((await visitor.post('/vault/links/end', { id: vault.id })).status, 200)
    assert.equal((await fetch(link)).status, 403)
    await visitor.post('/vault/update', { id: vault.id, is_private: false })
    assert.equal((await fetch(address)).status, 200)
  })

  test('objects of other accounts get 404 on every route', async ({ assert }) => {
    const stranger = await signIn(await makeCustomer())
    await upload(vault, '', 'a.txt')
    const calls = {
      '/vault/object/delete': { type: 'file', path: 'a.txt' },
      '/vault/object/delete-many': { files: ['a.txt'] },
      '/vault/object/upload': { name: 'b.txt', size: 1 },
      '/vault/object/share': { name: 'a.txt', expires: 3_600 },
      '/vault/object/store': { type: 'folder', name: 'f', path: '' },
    }
    for (const [path, body] of Object.entries(calls)) {
      const { status } = await stranger.post(path, { vault_id: vault.id, ...body })
      assert.equal(status, 404, path)
    }
    assert.equal((await stranger.get(`/vault/${vault.id}/open?name=a.txt`)).status, 404)
    assert.lengthOf((await seen()).files, 1)
  })
})
