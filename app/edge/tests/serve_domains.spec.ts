import { serveDomains } from '#edge/serve_domains'
import env from '#start/env'
import { test } from '@japa/runner'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test.group('The edge of this machine', (group) => {
  let folder: string
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-edge-'))
    const before = env.get('EDGE_ADMIN')
    env.set('EDGE_ADMIN' as never, `unix/${join(folder, 'admin.sock')}` as never)
    return async () => {
      env.set('EDGE_ADMIN' as never, before as never)
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('none runs: nothing fails, again and again, in the log', async () => {
    await serveDomains()
  })

  test('one that refuses does', async ({ assert, cleanup }) => {
    const server = createServer((_, response) => response.writeHead(400).end('{"error":"no"}'))
    server.listen(join(folder, 'admin.sock'))
    await once(server, 'listening')
    cleanup(() => void server.close())
    await assert.rejects(() => serveDomains(), /no/)
  })
})
