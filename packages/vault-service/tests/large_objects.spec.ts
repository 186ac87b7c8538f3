import { test } from '@japa/runner'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TestServing } from './test_server.js'
import type { CreatedVault } from './test_service.js'

const BYTES_PER_GIB = 1_024 ** 3
const facts = { type: 'text/plain', headers: {}, meta: {}, checksums: {} }
const LAST_BYTES = Buffer.from('the last bytes')

function* zeros(size: number): Generator<Buffer> {
  const block = Buffer.alloc(1_048_576)
  let left = size - LAST_BYTES.length
  for (; left > 0; left -= block.length) yield block.subarray(0, Math.min(left, block.length))
  yield LAST_BYTES
}

test.group('Objects above 2 GiB', (group) => {
  let on: TestServing
  let vault: CreatedVault
  group.setup(async () => {
    on = await TestServing.start()
    vault = await on.makeVault()
    return () => on.end()
  })
  const stored = async () => (await on.serving.store.vaultById(vault.id))!
  const range = async (name: string, bytes: string) => {
    const answer = await on.ask(`/${vault.key}/${name}`, { headers: { range: `bytes=${bytes}` } })
    return { status: answer.status, part: answer.headers['content-range'], text: answer.text }
  }

  test('stores, reads and counts a PUT above 2 GiB and a multipart object above 4 GiB', async ({
    assert,
  }) => {
    const size = 2 * BYTES_PER_GIB + LAST_BYTES.length
    const { path } = await on.control.call('link', {
      id: vault.id,
      name: 'two.bin',
      expiresIn: 3_600,
      upload: { size },
    })
    const status = await new Promise<number>((resolve, reject) => {
      const headers = { 'content-length': String(size) }
      const sending = request(new URL(path, on.url), { method: 'PUT', headers }, (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode!))
      })
      sending.on('error', reject)
      pipeline(Readable.from(zeros(size)), sending).catch(reject)
    })
    assert.equal(status, 200)
    assert.deepEqual(await range('two.bin', `${2 * BYTES_PER_GIB}-`), {
      status: 206,
      text: LAST_BYTES.toString(),
      part: `bytes ${2 * BYTES_PER_GIB}-${size - 1}/${size}`,
    })

    // Each part is a hard link to the file of a stored object, so the parts need no additional disk space.
    const { store, stores } = on.serving
    const two = (await store.head(await stored(), 'two.bin'))!
    const upload = await store.beginUpload(await stored(), 'large.bin', two)
    const parts = [
      two,
      two,
      await on.put(vault, 'end.bin', Buffer.alloc(BYTES_PER_GIB / 2048, 'e')),
    ]
    for (const [at, from] of parts.entries()) {
      const body = await store.number()
      assert.isTrue(await stores.folder!.link!(from.bodies, [body]))
      const part = { store: 'folder' as const, body, size: from.size, md5: from.digests[0] }
      await store.putPart(await stored(), upload.id, at + 1, part, {})
    }
    const named = (await store.parts(await stored(), upload.id, 0, 10)).map(({ number, etag }) => ({
      number,
      etag,
    }))
    const large = await store.completeUpload(await stored(), upload.id, named)
    const [whole, end] = [2 * size + BYTES_PER_GIB / 2048, 2 * size]
    assert.equal(large.size, whole)
    const head = await on.ask(`/${vault.key}/large.bin`, { method: 'HEAD' })
    assert.equal(head.headers['content-length'], String(whole))
    assert.deepEqual(await range('large.bin', `${end - LAST_BYTES.length}-${end + 2}`), {
      status: 206,
      text: `${LAST_BYTES}eee`,
      part: `bytes ${end - LAST_BYTES.length}-${end + 2}/${whole}`,
    })
    assert.equal((await range('large.bin', '-4')).text, 'eeee')
    assert.equal((await range('large.bin', `${whole}-`)).status, 416)

    const copied = await store.copy(large, await stored(), 'copy.bin', large, store.read(large))
    assert.equal(copied.size, whole)
    const [info] = await on.control.call('vaults', { ids: [vault.id] })
    assert.equal(info.bytes, size + BYTES_PER_GIB / 2048 + 2 * whole)
    assert.isAbove(info.bytes, 10 * BYTES_PER_GIB)
  }).timeout(600_000)

  test('accepts exactly 5 GiB and rejects one more byte', async ({ assert }) => {
    const { store } = on.serving
    const put = async (name: string, size: number) => {
      const body = { store: 'folder' as const, body: await store.number(), size, md5: 'unread' }
      return store.put(await stored(), name, body, facts)
    }
    for (const size of [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 5 * BYTES_PER_GIB]) {
      assert.equal((await put(`size-${size}`, size)).size, size)
    }
    const list = await on.control.call('list', {
      id: vault.id,
      path: '',
      search: 'size-',
      limit: 10,
    })
    assert.equal(Math.max(...list.files.map((file) => file.size)), 5 * BYTES_PER_GIB)
    const tooLarge = store.receive(await stored(), Readable.from(zeros(20)), 5 * BYTES_PER_GIB + 1)
    await assert.rejects(() => tooLarge, /at most 5 GB/)
  })

  test('deletes the bytes immediately if the database rejects the row', async ({ assert }) => {
    const before = await on.bodies()
    const whole = on.put(vault, 'a\0b', Buffer.alloc(100_000))
    await assert.rejects(() => whole, /unsupported Unicode escape sequence/)
    const { store } = on.serving
    const upload = await store.beginUpload(await stored(), 'parts', facts)
    const received = await store.receive(await stored(), Readable.from(zeros(100_000)))
    const part = store.putPart(await stored(), upload.id, 2 ** 31, received, {})
    await assert.rejects(() => part, /out of range/)
    assert.equal(await on.bodies(), before)
  })
})
