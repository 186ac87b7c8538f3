import { test } from '@japa/runner'
import { TestServing } from './test_server.js'
import type { CreatedVault } from './test_service.js'

test.group('Removal through the API', (group) => {
  let on: TestServing
  let vault: CreatedVault
  group.setup(async () => {
    on = await TestServing.start()
    vault = await on.makeVault()
    return () => on.end()
  })
  const remove = (query: string, method = 'GET', headers: Record<string, string> = {}) => {
    const keys = { 'X-Secret-Key': vault.secret, 'X-Access-Key-Id': String(vault.accountId) }
    return on.ask(`/remove?${query}`, {
      method,
      headers: { ...keys, ...headers },
      from: '127.0.0.21',
    })
  }

  test('GET, DELETE and POST delete an object immediately', async ({ assert }) => {
    for (const method of ['GET', 'DELETE', 'POST']) {
      await on.put(vault, 'x/ü 1.txt', 'text')
      const path = `/${vault.key}/x/%C3%BC%201.txt`
      assert.equal((await on.ask(path)).status, 200)
      assert.equal((await on.ask(path)).status, 200)
      const got = await remove('folder=/x/&filename=%C3%BC+1.txt&cache=invalidate', method)
      assert.equal(got.status, 200)
      const { success, message, filepath } = JSON.parse(got.text)
      assert.deepEqual([success, filepath], [true, 'x/ü 1.txt'])
      assert.isString(message)
      assert.equal((await on.ask(path)).status, 404)
      assert.equal((await remove('folder=x&filename=%C3%BC+1.txt', method)).status, 404)
    }
  })

  test('rejects malformed and unauthorized requests', async ({ assert }) => {
    await on.put(vault, 'kept.txt', 'text')
    const status = async (...asked: Parameters<typeof remove>) => (await remove(...asked)).status
    assert.equal(await status(''), 422)
    assert.equal(await status('filename=../kept.txt'), 422)
    assert.equal(await status('folder=x&filename=../kept.txt'), 422)
    assert.equal(await status('folder=..&filename=kept.txt'), 422)
    assert.equal(await status('filename=kept.txt%'), 400)
    assert.equal(await status('filename=kept.txt%ff'), 400)
    assert.equal(await status('filename=kept.txt&filename=a'), 400)
    assert.equal(await status('filename=kept.txt', 'PUT'), 405)
    assert.equal(await status('filename=kept.txt', 'GET', { 'X-Secret-Key': 'wrong' }), 401)
    const key = await on.control.call('makeKey', { id: vault.id, name: 'k', readOnly: true })
    const reading = { 'X-Secret-Key': key.secret, 'X-Access-Key-Id': key.accessKeyId }
    assert.equal(await status('filename=kept.txt', 'DELETE', reading), 403)
    assert.equal((await on.ask(`/${vault.key}/kept.txt`)).text, 'text')
  })

  test('other websites cannot make a browser delete an object by GET', async ({ assert }) => {
    await on.put(vault, 'kept.txt', 'text')
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-origin' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
    ] as Record<string, string>[]) {
      assert.equal((await remove('filename=kept.txt', 'GET', headers)).status, 403)
    }
    assert.equal((await on.ask(`/${vault.key}/kept.txt`)).text, 'text')
    const typed = await remove('filename=kept.txt', 'GET', { 'Sec-Fetch-Site': 'none' })
    assert.equal(typed.status, 200)
  })
})
