import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import { checkLink, makeLink } from '../http/signed_links.js'
import { TestServing } from './test_server.js'
import type { CreatedVault } from './test_service.js'

const signer = { key: 'vault', linkKey: randomBytes(32) }
const codeOf = (work: () => unknown) => {
  try {
    work()
    return 'allowed'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test.group('Signed links', () => {
  const link = { method: 'PUT', name: 'a/ü.txt', expires: 2000, download: true, size: 5 } as const
  const query = makeLink(signer, link).split('?')[1]
  const asked = { method: link.method, name: link.name, query }
  const changed = (from: string, to: string) => ({ ...asked, query: query.replace(from, to) })

  test('a link returns the permissions that were signed', ({ assert }) => {
    assert.deepEqual(checkLink(signer, asked, 1_999_999), { download: true, size: 5 })
    const plain = { method: 'GET', name: 'a', expires: 2000 } as const
    const [path, rest] = makeLink(signer, plain).split('?')
    assert.equal(path, '/vault/a')
    const found = checkLink(signer, { ...plain, query: rest }, 0)
    assert.deepEqual(found, { download: false, size: undefined })
  })

  test('a link is invalid after it has expired', ({ assert }) => {
    assert.equal(
      codeOf(() => checkLink(signer, asked, 2_000_000)),
      'link_ended'
    )
  })

  test('a link is invalid after any change', ({ assert }) => {
    const other = { ...signer, key: 'other' }
    assert.equal(
      codeOf(() => checkLink(other, asked, 0)),
      'link_ended'
    )
    const rotated = { ...signer, linkKey: randomBytes(32) }
    assert.equal(
      codeOf(() => checkLink(rotated, asked, 0)),
      'link_ended'
    )
    const signature = /signature=(.*)$/.exec(query)![1]
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const cases = [
      { ...asked, method: 'GET' as const },
      { ...asked, name: 'a/u.txt' },
      changed('expires=2000', 'expires=2001'),
      changed('expires=2000', 'expires=02000'),
      changed('expires=2000', 'expires=2e9'),
      changed('download=1', 'download=0'),
      changed('download=1&', ''),
      changed('size=5', 'size=6'),
      changed('size=5&', ''),
      changed('expires=2000', 'expires=2000&expires=9999'),
      changed('size=5', 'size=5&size=6'),
      changed(signature, signature.slice(0, -1)),
      changed(signature, `${signature}=`),
      changed(signature, ''),
      // A last character that differs, although it may decode to the same bytes.
      changed(signature, signature.slice(0, -1) + last[last.indexOf(signature.at(-1)!) ^ 1]),
    ]
    for (const one of cases)
      assert.equal(
        codeOf(() => checkLink(signer, one, 0)),
        'link_ended'
      )
    assert.equal(
      codeOf(() => checkLink(signer, { ...asked, query: 'expires=1' }, 0)),
      'not_allowed'
    )
  })
})

test.group('Signed links of a private vault', (group) => {
  let on: TestServing
  let vault: CreatedVault
  group.setup(async () => {
    on = await TestServing.start()
    vault = await on.makeVault()
    await on.control.call('changeVault', { id: vault.id, isPrivate: true })
    return () => on.end()
  })
  const link = async (name: string, more: object = {}) => {
    const asked = { id: vault.id, name, expiresIn: 60, ...more }
    return (await on.control.call('link', asked)).path
  }

  test('a link opens an object for pages of any origin, and shared caches do not store it', async ({
    assert,
  }) => {
    await on.put(vault, 'a b.txt', 'secret', { headers: { cacheControl: 'public, max-age=9' } })
    const path = await link('a b.txt')
    for (const method of ['GET', 'HEAD', 'GET']) {
      const headers = { Origin: 'https://anybody.example' }
      const got = await on.ask(path, { method, headers })
      assert.equal(got.status, 200)
      assert.equal(got.text, method === 'GET' ? 'secret' : '')
      assert.equal(got.headers['cache-control'], 'private, no-store')
      assert.equal(got.headers['access-control-allow-origin'], '*')
      assert.notProperty(got.headers, 'content-disposition')
    }
    const range = await on.ask(path, { headers: { Range: 'bytes=0-1' } })
    assert.deepEqual([range.status, range.text], [206, 'se'])
  })

  test('without a link, or with a changed one, no object can be read', async ({ assert }) => {
    await on.put(vault, 'a.txt', 'secret')
    const path = await link('a.txt')
    assert.equal((await on.ask(path)).status, 200)
    const refused = [
      `/${vault.key}/a.txt`,
      `/${vault.key}/nothing`,
      path.replace('a.txt', 'b.txt'),
      path.replace(/expires=\d+/, 'expires=9999999999'),
      `${path}A`,
      path.replace('?', '?download=1&'),
    ]
    for (const one of refused) {
      const got = await on.ask(one)
      assert.equal(got.status, 403)
      assert.equal(got.headers['cache-control'], 'no-store')
    }
    assert.equal((await on.ask(path, { method: 'PUT', body: 'x' })).status, 403)
    await on.control.call('changeVault', { id: vault.id, endLinks: true })
    assert.equal((await on.ask(path)).status, 403)
    assert.equal((await on.ask(await link('a.txt'))).status, 200)
  })

  test('the response to a download link is saved as a file', async ({ assert }) => {
    await on.put(vault, 'näme.txt', 'x')
    const { headers } = await on.ask(await link('näme.txt', { download: true }))
    assert.match(headers['content-disposition']!, /^attachment; .*UTF-8''n%C3%A4me\.txt$/)
  })

  test('an upload link accepts only the number of bytes that was signed', async ({ assert }) => {
    const path = await link('up/l.html', { upload: { size: 5 } })
    const headers = { Origin: 'https://anybody.example' }
    const asked = { 'Access-Control-Request-Method': 'PUT', ...headers }
    const before = await on.ask(path, { method: 'OPTIONS', headers: asked })
    assert.equal(before.status, 204)
    assert.equal(before.headers['access-control-allow-origin'], '*')

    for (const [body, more, status] of [
      ['four', {}, 403],
      ['sixsix', {}, 403],
      ['fives', { 'Transfer-Encoding': 'chunked' }, 411],
      ['fives', {}, 200],
      ['again', {}, 200],
    ] as const) {
      const got = await on.ask(path, { method: 'PUT', body, headers: { ...headers, ...more } })
      assert.equal(got.status, status)
      assert.equal(got.headers['access-control-allow-origin'], '*')
      if (status !== 200) continue
      const { success, filepath } = JSON.parse(got.text)
      assert.deepEqual([success, filepath], [true, 'up/l.html'])
      const read = await on.ask(await link('up/l.html'))
      assert.equal(read.text, body)
      assert.equal(read.headers['content-type'], 'text/html; charset=utf-8')
      assert.match(read.headers['content-disposition']!, /^attachment/)
    }
    assert.equal((await on.ask(path)).status, 403)
  })
})
