import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { assertCanInstall } from '../service/install.js'
import { assertCanStart, assertDiskSpace, poolSizeOptionFromEnv } from '../preconditions.js'

test.group('Preconditions of ./berth up and ./berth install', () => {
  test('POOL_SIZE must be a number of GiB', ({ assert }) => {
    assert.deepEqual(poolSizeOptionFromEnv({}), {})
    assert.deepEqual(poolSizeOptionFromEnv({ POOL_SIZE: '1.5' }), { poolSize: 1.5 * 1024 ** 3 })
    for (const size of ['abc', '0', '-1', '50G', 'Infinity']) {
      assert.throws(() => poolSizeOptionFromEnv({ POOL_SIZE: size }), /POOL_SIZE=.* is not a size/)
    }
  })

  test('./berth install checks its settings before it changes anything', async ({ assert }) => {
    await assert.rejects(
      () => assertCanInstall({ POOL_SIZE: 'abc' }),
      /POOL_SIZE=abc is not a size/
    )
    await assert.rejects(() => assertCanInstall({ ROLES: 'webb' }), /webb/)
  })

  test('a full disk and a port that is in use are reported before the build', async ({
    assert,
    cleanup,
  }) => {
    const home = join(tmpdir(), 'berth-missing', 'home')
    await assert.rejects(
      () => assertDiskSpace(home, {}, 2 ** 60),
      /too full: \d+ MB free, \d+ MB needed/
    )
    const server = createServer()
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    cleanup(() => void server.close())
    const { port } = server.address() as { port: number }
    const env = { BERTH_HOME: home, HOST: '127.0.0.1', PORT: String(port) }
    await assert.rejects(() => assertCanStart(env), new RegExp(`Port ${port} \\(web\\) is already`))
  })
})
