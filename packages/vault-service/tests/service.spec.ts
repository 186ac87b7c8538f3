import { test } from '@japa/runner'
import { mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ControlError, ControlUnreachableError } from '../control/client.js'
import { eventually } from '#tests/support/eventually'
import { startFreezingProxy } from '#tests/support/freezing_proxy'
import { findFreePort } from '#tests/support/find_free_port'
import { bodiesFolder } from '../folders.js'
import { startVaultService } from '../main.js'
import { createS3Client, createS3TestVault, errorOf } from '../s3/tests/client.js'
import { Database } from '../store/database.js'
import {
  createTestVault,
  testServiceOptions,
  sharedVaultService,
  type CreatedVault,
  type TestService,
} from './test_service.js'

/** Uploads a file through a signed link, as the console's pages do. */
async function put(
  service: Pick<TestService, 'control' | 'url'>,
  { id }: CreatedVault,
  name: string,
  text: string
) {
  const upload = { size: Buffer.byteLength(text) }
  const { path } = await service.control.call('link', { id, name, expiresIn: 60, upload })
  const answer = await fetch(service.url + path, { method: 'PUT', body: text })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof ControlError ? error.code : String(error))
  )

test.group('Control API of the vault service', (group) => {
  let service: TestService
  let vault: CreatedVault
  const get = (name: string) => fetch(`${service.url}/${vault.key}/${name}`)
  const info = async () => (await service.control.call('vaults', { ids: [vault.id] }))[0]
  group.each.setup(async () => {
    service = await sharedVaultService()
    vault = await createTestVault(service)
  })

  test('without the control key, all routes return 404', async ({ assert }) => {
    const body = JSON.stringify({ ids: [vault.id] })
    for (const authorization of ['', 'Bearer', 'Bearer wrong', process.env.VAULT_CONTROL_KEY!]) {
      const answer = await fetch(`${service.url}/control/vaults`, {
        method: 'POST',
        headers: { authorization },
        body,
      })
      assert.equal(answer.status, 404, authorization)
      assert.notInclude(await answer.text(), vault.key)
    }
    const unknown = await fetch(`${service.url}/control/constructor`, {
      method: 'POST',
      headers: { authorization: `Bearer ${process.env.VAULT_CONTROL_KEY}` },
      body,
    })
    assert.equal(unknown.status, 404)
  })

  test('creating a vault again returns the existing one, and another account cannot create one with its ID', async ({
    assert,
  }) => {
    const again = await service.control.call('makeVault', vault)
    assert.equal(again.secret, vault.secret)
    const other = service.control.call('makeVault', { ...vault, accountId: 7 })
    assert.equal(await codeOf(other), 'exists')
  })

  test('secrets are encrypted in the database', async ({ assert }) => {
    const { secret } = await service.control.call('makeKey', {
      id: vault.id,
      name: 'k',
      readOnly: false,
    })
    const database = new Database(process.env.VAULT_DATABASE_URL!)
    const rows = await database.rows('select * from vault.keys where vault_id = $1', [vault.id])
    const vaults = await database.rows('select * from vault.vaults where id = $1', [vault.id])
    await database.close()
    const text = JSON.stringify([rows, vaults])
    assert.lengthOf(rows, 2)
    for (const word of [secret, vault.secret]) assert.notInclude(text, word)
  })

  test('lists folders and files by page and by prefix', async ({ assert }) => {
    const { id } = vault
    for (const name of ['a.txt', 'b.txt', 'docs/1.txt', 'docs/2.txt', 'docs/deep/3.txt']) {
      await put(service, vault, name, name)
    }
    await service.control.call('makeFolder', { id, path: 'empty' })
    const list = (more: object) =>
      service.control.call('list', { id, path: '', limit: 100, ...more })
    const top = await list({})
    assert.deepEqual(
      [top.folders, top.files.map(({ name }) => name)],
      [
        ['docs', 'empty'],
        ['a.txt', 'b.txt'],
      ]
    )
    const docs = await list({ path: 'docs' })
    assert.deepEqual(
      [docs.folders, docs.files.map(({ name }) => name)],
      [['docs/deep'], ['docs/1.txt', 'docs/2.txt']]
    )
    const found = await list({ path: 'docs', search: '2' })
    assert.deepEqual([found.folders, found.files.map(({ name }) => name)], [[], ['docs/2.txt']])
    const seen: string[] = []
    for (let after: string | undefined, more = true; more;) {
      const page = await list({ after, limit: 1 })
      seen.push(...page.folders, ...page.files.map(({ name }) => name))
      after = page.next
      more = after !== undefined
    }
    assert.sameMembers(seen, ['a.txt', 'b.txt', 'docs', 'empty'])
    assert.deepEqual((await list({ path: 'empty' })).files, [])
  })

  test('a folder has a unique name, and deleting it deletes its contents', async ({ assert }) => {
    const { id } = vault
    await put(service, vault, 'docs/1.txt', 'x')
    await put(service, vault, 'file', 'x')
    const make = (path: string) => codeOf(service.control.call('makeFolder', { id, path }))
    assert.equal(await make('docs'), 'exists')
    assert.equal(await make('file'), 'exists')
    for (const path of ['', '..', 'a/../b', '/a', 'a//b', 'a\u0000'])
      assert.equal(await make(path), 'name', path)
    assert.equal(await make('new'), 'done')
    assert.equal(await make('new'), 'exists')
    assert.deepEqual(await service.control.call('removeFolder', { id, path: 'docs' }), {
      removed: 1,
    })
    assert.equal(
      await codeOf(service.control.call('removeFolder', { id, path: 'docs' })),
      'no_object'
    )
    assert.equal((await get('docs/1.txt')).status, 404)
    assert.deepEqual(await service.control.call('removeFiles', { id, names: ['file', 'none'] }), {
      removed: ['file'],
    })
  })

  test('a changed state of a vault takes effect immediately', async ({ assert }) => {
    await put(service, vault, 'a.txt', 'text')
    const states = [
      ['active', 200, 'done'],
      ['read_only', 200, 'Error: 403'],
      ['suspended', 403, 'Error: 403'],
      ['active', 200, 'done'],
    ] as const
    for (const [state, read, write] of states) {
      await service.control.call('changeVault', { id: vault.id, state })
      assert.equal((await get('a.txt')).status, read, state)
      const outcome = await put(service, vault, 'b.txt', 'x').then(() => 'done', String)
      assert.equal(outcome.slice(0, write.length), write, state)
    }
  })

  test('replacing the link key invalidates existing links', async ({ assert }) => {
    await put(service, vault, 'a.txt', 'text')
    await service.control.call('changeVault', { id: vault.id, isPrivate: true })
    assert.equal((await get('a.txt')).status, 403)
    const { path } = await service.control.call('link', {
      id: vault.id,
      name: 'a.txt',
      expiresIn: 60,
    })
    assert.equal(await (await fetch(service.url + path)).text(), 'text')
    await service.control.call('changeVault', { id: vault.id, endLinks: true })
    assert.equal((await fetch(service.url + path)).status, 403)
  })

  test('a replaced secret stays valid until the overlap ends', async ({ assert }) => {
    const { id, accountId } = vault
    const upload = async (secret: string) => {
      const body = new FormData()
      body.set('file', new Blob(['x']), 'a.txt')
      const headers = { 'x-secret-key': secret, 'x-access-key-id': String(accountId) }
      return (await fetch(`${service.url}/upload`, { method: 'POST', headers, body })).status
    }
    assert.equal(await upload(vault.secret), 200)
    const [own] = await service.control.call('keys', { id })
    const { secret } = await service.control.call('rotateKey', { id, keyId: own.id, overlap: 10 })
    assert.deepEqual([await upload(vault.secret), await upload(secret)], [200, 200])
    await eventually(async () => assert.equal(await upload(vault.secret), 401))
    assert.equal(await upload(secret), 200)
    const keys = await service.control.call('keys', { id })
    assert.lengthOf(keys, 1)
    await service.control.call('rotateKey', { id, keyId: keys[0].id, overlap: 0 })
    assert.equal(await upload(secret), 401)
  })

  test('counts the requests that were answered, and their bytes', async ({ assert }) => {
    await put(service, vault, 'a.txt', 'x'.repeat(1_000))
    for (let index = 0; index < 25; index++) assert.equal((await get('a.txt')).status, 200)
    assert.equal((await get('none.txt')).status, 404)
    await service.fold()
    const { month, bytes, objects } = await info()
    assert.containsSubset(month, { requests: 27, bytesIn: 1_000 })
    assert.isAtLeast(month.bytesOut, 25_000)
    assert.deepEqual([bytes, objects], [1_000, 1])
    const counts = await service.control.call('requestCounts', { ids: [vault.id] })
    assert.deepEqual(Object.values(counts[vault.id]), [27])
    const day = new Date().toISOString().slice(0, 10)
    const days = await service.control.call('usage', { id: vault.id, from: day, to: day })
    assert.containsSubset(days, [{ day, requests: 27 }])
    const closed = await service.control.call('closedDays', { after: { day, vaultId: 0 } })
    assert.notExists(
      closed.find(({ vaultId }) => vaultId === vault.id),
      'a day is not closed while it lasts'
    )
  })

  test('a vault that reaches its owner’s spending limit is blocked, and a higher limit unblocks it', async ({
    assert,
  }) => {
    const { id } = vault
    await put(service, vault, 'a.txt', 'x')
    await put(service, vault, 'old.txt', 'x')
    const database = new Database(process.env.VAULT_DATABASE_URL!)
    await service.fold()
    // The cost is 1 USD for 10,000 requests, plus 1.80 USD for 20 GB of outgoing traffic, of which 10 GB are included.
    await database.rows(
      `update vault.usage set requests = 10000, bytes_out = 20000000000, byte_hours = 0 where vault_id = $1`,
      [id]
    )
    await database.close()
    assert.equal((await info()).month.cost, '2.800000')
    await service.control.call('changeVault', { id, monthlyLimit: '2.80' })
    assert.isTrue((await info()).limitReached)
    assert.equal((await get('a.txt')).status, 429)
    await assert.rejects(() => put(service, vault, 'b.txt', 'x'), /429/)
    const headers = { 'X-Secret-Key': vault.secret, 'X-Access-Key-Id': String(vault.accountId) }
    const removal = `${service.url}/remove?folder=&filename=old.txt`
    assert.equal((await fetch(removal, { method: 'DELETE', headers })).status, 200)
    const prices = { request: '0.0001', bandwidthGb: '0.17', storageGb: '0.15' }
    await service.control.call('setPrices', prices)
    assert.containSubset(await info(), { month: { cost: '2.700000' }, limitReached: false })
    await service.control.call('setPrices', { ...prices, bandwidthGb: '0.18' })
    assert.isTrue((await info()).limitReached)
    await service.control.call('changeVault', { id, monthlyLimit: '2.81' })
    assert.equal((await get('a.txt')).status, 200)
    await service.control.call('changeVault', { id, monthlyLimit: null })
    assert.containsSubset(await info(), { monthlyLimit: null, limitReached: false })
  })

  test('the client distinguishes a service that cannot be reached from one that rejects a call', async ({
    assert,
  }) => {
    const { VaultControlClient } = await import('../control/client.js')
    const gone = new VaultControlClient({ url: 'http://127.0.0.1:1', key: 'k' })
    const error = await gone.call('vaults', { ids: [] }).catch((thrown: unknown) => thrown)
    assert.instanceOf(error, ControlUnreachableError)
    assert.equal(await codeOf(service.control.call('keys', { id: 3 })), 'no_vault')
  })
})

test.group('Several vault services', () => {
  test('a second service on the same database waits, and then fails with an error', async ({
    assert,
  }) => {
    await sharedVaultService()
    const { acquireDatabaseLock } = await import('../database_lock.js')
    const database = new Database(process.env.VAULT_DATABASE_URL!, 1)
    await assert.rejects(() => acquireDatabaseLock(database, () => {}, 1), /Another vault service/)
    await database.close()
  })

  test('the requests that a crashed service has not added to the tables are counted once by the next service', async ({
    assert,
    cleanup,
  }) => {
    const { stopVaultService } = await import('./test_service.js')
    await stopVaultService()
    const folder = await mkdtemp(join(tmpdir(), 'berth-vault-'))
    cleanup(() => rm(folder, { recursive: true, force: true }))
    const started = () => startVaultService(testServiceOptions(folder))
    const { VaultControlClient } = await import('../control/client.js')
    const { Journal } = await import('../meter/journal.js')
    const first = await started()
    const control = new VaultControlClient({
      url: `http://127.0.0.1:${first.port}`,
      key: process.env.VAULT_CONTROL_KEY!,
    })
    const vault = await createTestVault({ control })
    await first.stop()
    // Simulates the file of a thread that was killed: it is not marked as complete, and ends with a partial record.
    const journal = new Journal(join(folder, 'counts'))
    for (let index = 0; index < 7; index++)
      journal.count({ id: vault.id, accountId: vault.accountId } as never, 1, 2)
    const [left] = (await readdir(join(folder, 'counts'))).filter((name) => !name.endsWith('.done'))
    const { appendFile } = await import('node:fs/promises')
    await appendFile(
      join(folder, 'counts', left),
      (await readFile(join(folder, 'counts', left))).subarray(0, 11)
    )
    for (let time = 0; time < 2; time++) {
      const next = await started()
      const { month } = (
        await new VaultControlClient({
          url: `http://127.0.0.1:${next.port}`,
          key: process.env.VAULT_CONTROL_KEY!,
        }).call('vaults', { ids: [vault.id] })
      )[0]
      assert.containsSubset(month, { requests: 7, bytesIn: 7, bytesOut: 14 })
      await next.stop()
    }
    const files = (await readdir(join(folder, 'counts'))).filter((name) => name.startsWith(left))
    assert.deepEqual(files, [])
  })

  test('while PostgreSQL does not answer, files, uploads and S3 get 503 within seconds', async ({
    assert,
    cleanup,
  }) => {
    const { stopVaultService } = await import('./test_service.js')
    const { VaultControlClient } = await import('../control/client.js')
    await stopVaultService()
    const folder = await mkdtemp(join(tmpdir(), 'berth-vault-'))
    cleanup(() => rm(folder, { recursive: true, force: true }))
    const proxy = await startFreezingProxy(process.env.VAULT_DATABASE_URL!)
    cleanup(() => proxy.stop())
    const options = Object.assign(testServiceOptions(folder), { databaseUrl: proxy.url })
    const start = async () => {
      const service = await startVaultService(options)
      const url = `http://127.0.0.1:${service.port}`
      const control = new VaultControlClient({ url, key: options.controlKey })
      return { url, control, stop: service.stop }
    }
    const first = await start()
    const vault = await createS3TestVault(first)
    await put(first, vault, 'a.txt', 'a')
    await first.stop()
    // A new service, which has no cached data.
    const service = await start()
    cleanup(() => service.stop())

    const file = () => fetch(`${service.url}/${vault.key}/a.txt`)
    const body = new FormData()
    body.set('file', new Blob(['b']), 'b.txt')
    const headers = { 'x-secret-key': vault.secret, 'x-access-key-id': String(vault.accountId) }
    const client = createS3Client(service.url, vault)
    const list = async () => (await errorOf(client.listObjectsV2({ Bucket: vault.key }))).status
    proxy.freeze()
    try {
      const began = Date.now()
      const answers = await Promise.all([
        file(),
        fetch(`${service.url}/upload`, { method: 'POST', headers, body }),
        fetch(`${service.url}/health`),
      ])
      assert.deepEqual(
        answers.map(({ status }) => status),
        [503, 503, 503]
      )
      assert.include(await answers[0].text(), 'The storage does not respond. Try again.')
      assert.equal(await list(), 503)
      assert.isBelow(Date.now() - began, 30_000)
    } finally {
      proxy.thaw()
    }
    await eventually(async () => {
      assert.equal((await fetch(`${service.url}/health`)).status, 200)
      assert.equal((await file()).status, 200)
      assert.equal(await list(), 200)
    })
  })

  test('the next service accepts connections while the previous one stops, so none is rejected', async ({
    assert,
    cleanup,
  }) => {
    const { stopVaultService } = await import('./test_service.js')
    await stopVaultService()
    const folder = await mkdtemp(join(tmpdir(), 'berth-vault-'))
    cleanup(() => rm(folder, { recursive: true, force: true }))
    const told = testServiceOptions(folder, await findFreePort())
    const first = await startVaultService(told)
    const starting = startVaultService(told)
    const ask = () =>
      new Promise<number | undefined>((resolve, reject) => {
        const path = `http://127.0.0.1:${told.port}/health/live`
        get(path, { agent: false }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        }).once('error', reject)
      })
    let answered = 0
    const asked = Array.from({ length: 40 }, () => ask().finally(() => answered++))
    await Promise.any(asked)
    // The next service already listens on the port. It holds the other connections, and responds to them once it
    // serves.
    assert.isBelow(answered, 40)
    await first.leave()
    const second = await starting
    cleanup(() => second.stop())
    assert.deepEqual(new Set(await Promise.all(asked)), new Set([200]))
    assert.equal(await ask(), 200)
  })

  // Reading 20 GB takes at least 40 s, so the scrub is interrupted in the middle. Reading 1 GB takes about 2 s, and
  // then the scrub waits 30 s.
  for (const [size, title] of [
    [20 * 1_024 ** 3, 'reads a large object'],
    [1_024 ** 3, 'waits after a large object'],
  ] as const) {
    test(`the service stops within seconds while the scrub ${title}, and accepts no new requests`, async ({
      assert,
      cleanup,
    }) => {
      const { stopVaultService } = await import('./test_service.js')
      await stopVaultService()
      const folder = await mkdtemp(join(tmpdir(), 'berth-vault-'))
      cleanup(() => rm(folder, { recursive: true, force: true }))
      const service = await startVaultService(testServiceOptions(folder))
      const { VaultControlClient } = await import('../control/client.js')
      const url = `http://127.0.0.1:${service.port}`
      const control = new VaultControlClient({ url, key: process.env.VAULT_CONTROL_KEY! })
      const vault = await createTestVault({ control })
      await put({ control, url } as TestService, vault, 'large', 'x'.repeat(10_000))
      const database = new Database(process.env.VAULT_DATABASE_URL!)
      cleanup(async () => {
        await database.rows('delete from vault.vaults where id = $1', [vault.id])
        await database.rows('delete from vault.scrub')
        await database.close()
      })
      // Enlarges the stored file to a sparse file, because writing 20 GB would take minutes.
      const [file] = await readdir(bodiesFolder(folder), {
        recursive: true,
        withFileTypes: true,
      }).then((entries) => entries.filter((entry) => entry.isFile()))
      await truncate(join(file.parentPath, file.name), size)
      await database.rows(
        'update vault.objects set size = $2, sizes = array[$2::bigint] where vault_id = $1',
        [vault.id, size]
      )
      await database.rows('delete from vault.scrub')
      await database.rows('insert into vault.scrub (started_at, vault_id) values (now(), $1)', [
        vault.id - 1,
      ])
      const scrubbing = service.scrub()
      if (size > 1_024 ** 3) await wait(500)
      else {
        const findings = () =>
          database.rows('select from vault.findings where vault_id = $1', [vault.id])
        while ((await findings()).length === 0) await wait(50)
      }
      const began = Date.now()
      const stopping = service.stop()
      await wait(500)
      await assert.rejects(() => fetch(`${url}/health/live`), /fetch failed/)
      await Promise.all([stopping, scrubbing])
      assert.isBelow(Date.now() - began, 20_000)
      const [position] = await database.rows<{ vault_id: number; ended_at: Date | null }>(
        'select vault_id, ended_at from vault.scrub'
      )
      assert.isNull(position.ended_at, 'the next run continues')
      // The next scrub reads the object again if it was interrupted in the middle, and skips it if it was read
      // completely.
      assert.equal(position.vault_id, size > 1_024 ** 3 ? vault.id - 1 : vault.id)
    })
  }
})
