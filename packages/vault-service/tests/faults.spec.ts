import { test } from '@japa/runner'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { eventually } from '#tests/support/eventually'
import { Database } from '../store/database.js'
import { createS3TestVault } from '../s3/tests/client.js'
import { createTestVault, type CreatedVault } from './test_service.js'
import { startVaultProcess, type VaultProcess } from './vault_process.js'

const run = promisify(execFile)
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

const mountSmall = (folder: string) =>
  run('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder])

/** Reason why these tests cannot mount a small file system on this machine. */
const noMount = await (async () => {
  const folder = await mkdtemp(join(tmpdir(), 'berth-mount-'))
  try {
    await mountSmall(folder)
    await run('umount', [folder])
    return null
  } catch (error) {
    return `no small disk can be mounted: ${String(error)}`
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})()

/** Folder of Debian's libfiu, a library that can make a process's system calls fail. */
const fiu = '/usr/lib/fiu'

async function upload(
  url: string,
  vault: CreatedVault,
  filename: string,
  bytes: Buffer
): Promise<number> {
  const body = new FormData()
  body.set('file', new Blob([new Uint8Array(bytes)]), filename)
  body.set('filename', filename)
  const headers = { 'x-secret-key': vault.secret, 'x-access-key-id': String(vault.accountId) }
  const answer = await fetch(`${url}/upload`, { method: 'POST', headers, body })
  await answer.arrayBuffer()
  return answer.status
}

async function read(url: string, vault: CreatedVault, name: string): Promise<Buffer | number> {
  const answer = await fetch(`${url}/${vault.key}/${name}`)
  const bytes = Buffer.from(await answer.arrayBuffer())
  return answer.status === 200 ? bytes : answer.status
}

test.group('Vault service, faults', (group) => {
  let folder: string
  let service: VaultProcess
  group.each.timeout(900_000)
  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-vault-'))
    return async () => {
      await service?.kill()
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('after kill -9 under load, confirmed writes exist, no object is partial, and each response is counted', async ({
    assert,
  }) => {
    service = await startVaultProcess(folder)
    const vault = await createTestVault(service)
    const before = randomBytes(200_000)
    assert.equal(await upload(service.url, vault, 'overwritten', before), 200)
    let counted = 1
    const tried = new Set([md5(before)])
    for (let round = 0; round < 3; round++) {
      const { url } = service
      const written = new Map<string, string>()
      let alive = true
      const writer = async (index: number) => {
        for (let at = 0; alive; at++) {
          const bytes = randomBytes(randomInt(1, 300_000))
          const name = index === 0 ? 'overwritten' : `r${round}-${index}-${at}`
          if (index === 0) tried.add(md5(bytes))
          if ((await upload(url, vault, name, bytes)) !== 200) return
          written.set(name, md5(bytes))
          counted++
        }
      }
      const reader = async () => {
        while (alive) {
          const answer = await fetch(`${url}/${vault.key}/overwritten`)
          // The service counts a request before it sends the response. So the body of a counted response may be cut off
          // by the kill.
          counted++
          const bytes = Buffer.from(await answer.arrayBuffer())
          assert.equal(answer.status, 200, bytes.toString())
          assert.include([...tried], md5(bytes))
        }
      }
      const all = [0, 1, 2, 3, 4].map((index) => writer(index).catch(() => {}))
      const readers = [reader(), reader()].map((reading) =>
        reading.catch((error: Error) => {
          if (error.name === 'AssertionError') throw error
        })
      )
      // Waits for a number of confirmed uploads and not for a fixed time, because a slow machine may need longer.
      while (written.size < 8) await wait(20)
      await wait(randomInt(500))
      await service.kill()
      alive = false
      await Promise.all([...all, ...readers])
      service = await startVaultProcess(folder)
      for (const [name, digest] of written) {
        const bytes = await read(service.url, vault, name)
        counted++
        assert.instanceOf(bytes, Buffer, name)
        if (name === 'overwritten') assert.include([...tried], md5(bytes as Buffer))
        else assert.equal(md5(bytes as Buffer), digest, name)
      }
      await wait(1_500)
      const month = await eventually(async () => {
        const [found] = await service.control.call('vaults', { ids: [vault.id] })
        assert.isAtLeast(found.month.requests, counted)
        return found.month
      })
      // Up to seven counted responses may have been cut off by the kill: those of two readers and five writers.
      assert.isAtMost(month.requests, counted + 7)
      counted = month.requests
    }
    const database = new Database(process.env.VAULT_DATABASE_URL!)
    const [real] = await database.rows(
      'select sum(size)::bigint as bytes, count(*) as objects from vault.objects where vault_id = $1',
      [vault.id]
    )
    const [{ bytes, objects }] = await service.control.call('vaults', { ids: [vault.id] })
    await database.close()
    assert.deepEqual({ bytes, objects }, real as { bytes: number; objects: number })
  })

  test('an upload that is interrupted at any byte leaves the old object in place and no new file', async ({
    assert,
  }) => {
    service = await startVaultProcess(folder)
    const vault = await createTestVault(service)
    const old = randomBytes(50_000)
    await upload(service.url, vault, 'a.bin', old)
    const size = 3_000_000
    const { path } = await service.control.call('link', {
      id: vault.id,
      name: 'a.bin',
      expiresIn: 600,
      upload: { size },
    })
    for (const cut of [0, 1, 65_535, 1_048_576, 2_999_999]) {
      await new Promise<void>((done) => {
        const sending = request(service.url + path, {
          method: 'PUT',
          headers: { 'content-length': size },
        })
        sending.on('error', () => done())
        sending.write(Buffer.alloc(cut, 1), () => setTimeout(() => sending.destroy(), 50))
      })
      assert.isTrue(((await read(service.url, vault, 'a.bin')) as Buffer).equals(old), String(cut))
    }
    await eventually(async () => assert.lengthOf(await files(folder), 1))
  })

  test('after kill -9 during a multipart upload, confirmed parts exist, and the upload can be completed', async ({
    assert,
  }) => {
    service = await startVaultProcess(folder)
    const { client: s3, ...vault } = await createS3TestVault(service)
    const at = { Bucket: vault.key, Key: 'in-parts.bin' }
    const { UploadId } = await s3.createMultipartUpload(at)
    const parts = Array.from({ length: 6 }, () => randomBytes(5 * 1_024 ** 2))
    const send = (index: number) =>
      s3.uploadPart({ ...at, UploadId, PartNumber: index + 1, Body: parts[index] })
    const answered = new Map<number, string>()
    const sending = Promise.allSettled(
      parts.map(async (_, index) => {
        await wait(index * 60)
        const { ETag } = await send(index)
        answered.set(index + 1, ETag!)
      })
    )
    await wait(250)
    await service.kill()
    await sending
    service = await startVaultProcess(folder)
    assert.equal(await read(service.url, vault, 'in-parts.bin'), 404)
    const { Parts = [] } = await s3.listParts({ ...at, UploadId })
    const known = new Map(Parts.map(({ PartNumber, ETag }) => [PartNumber, ETag]))
    for (const [number, tag] of answered) assert.equal(known.get(number), tag)
    const all = await Promise.all(
      parts.map(async (_, index) => ({
        PartNumber: index + 1,
        ETag: answered.get(index + 1) ?? (await send(index)).ETag,
      }))
    )
    const completing = s3
      .completeMultipartUpload({
        ...at,
        UploadId,
        MultipartUpload: { Parts: all },
      })
      .catch(() => {})
    await wait(randomInt(20))
    await service.kill()
    await completing
    service = await startVaultProcess(folder)
    const now = await read(service.url, vault, 'in-parts.bin')
    assert.isTrue(now === 404 || (now as Buffer).equals(Buffer.concat(parts)), 'whole or absent')
    await s3.completeMultipartUpload({ ...at, UploadId, MultipartUpload: { Parts: all } })
    const whole = (await read(service.url, vault, 'in-parts.bin')) as Buffer
    assert.isTrue(whole.equals(Buffer.concat(parts)))
    const [{ bytes, objects }] = await service.control.call('vaults', { ids: [vault.id] })
    assert.deepEqual([bytes, objects], [whole.length, 1])
    s3.destroy()
  })

  test('after kill -9 during copies, confirmed copies are complete', async ({ assert }) => {
    service = await startVaultProcess(folder)
    const { client: s3, ...vault } = await createS3TestVault(service)
    const bytes = randomBytes(1_500_000)
    assert.equal(await upload(service.url, vault, 'from', bytes), 200)
    const answered: string[] = []
    for (let round = 0; round < 3; round++) {
      let alive = true
      const copying = [0, 1, 2, 3].map(async (who) => {
        for (let at = 0; alive; at++) {
          const Key = `${round}-${who}-${at}`
          await s3.copyObject({ Bucket: vault.key, Key, CopySource: `${vault.key}/from` })
          answered.push(Key)
        }
      })
      const ended = Promise.allSettled(copying)
      const enough = answered.length + 5
      while (answered.length < enough) await wait(20)
      await wait(randomInt(200))
      await service.kill()
      alive = false
      await ended
      service = await startVaultProcess(folder)
    }
    assert.isAtLeast(answered.length, 15)
    const some = answered.filter((_, at) => at % Math.ceil(answered.length / 40) === 0)
    for (const name of some) {
      assert.isTrue(((await read(service.url, vault, name)) as Buffer).equals(bytes), name)
    }
    const [{ bytes: held, objects }] = await service.control.call('vaults', { ids: [vault.id] })
    assert.isAtLeast(objects, answered.length + 1)
    assert.equal(held, objects * bytes.length)
    s3.destroy()
  })

  test('a full disk causes 507 for uploads and keeps old objects, and uploads work again once there is space', async ({
    assert,
    cleanup,
  }) => {
    const mounted = join(folder, 'small')
    await mkdir(mounted)
    await mountSmall(mounted)
    cleanup(async () => {
      await service.kill()
      await run('umount', ['-l', mounted])
    })
    service = await startVaultProcess(mounted)
    const vault = await createTestVault(service)
    const old = randomBytes(1_000_000)
    assert.equal(await upload(service.url, vault, 'a.bin', old), 200)
    const ballast = join(mounted, 'ballast')
    await writeFile(ballast, Buffer.alloc(5_000_000))
    assert.equal(await upload(service.url, vault, 'a.bin', randomBytes(4_000_000)), 507)
    assert.isTrue(((await read(service.url, vault, 'a.bin')) as Buffer).equals(old))
    await rm(ballast)
    const fresh = randomBytes(4_000_000)
    assert.equal(await upload(service.url, vault, 'a.bin', fresh), 200)
    assert.isTrue(((await read(service.url, vault, 'a.bin')) as Buffer).equals(fresh))
  }).skip(noMount !== null, noMount ?? '')

  test('a read-only disk causes 503 for writes while objects are still served, and writes work once it is writable', async ({
    assert,
    cleanup,
  }) => {
    const disk = join(folder, 'bodies')
    await mkdir(disk)
    await mountSmall(disk)
    cleanup(async () => {
      await service.kill()
      await run('umount', ['-l', disk])
    })
    service = await startVaultProcess(folder)
    const vault = await createTestVault(service)
    const old = randomBytes(10_000)
    assert.equal(await upload(service.url, vault, 'a.bin', old), 200)
    await run('mount', ['-o', 'remount,ro', disk])
    for (const size of [10_000, 3_000_000]) {
      assert.equal(await upload(service.url, vault, 'a.bin', randomBytes(size)), 503)
      assert.isTrue(((await read(service.url, vault, 'a.bin')) as Buffer).equals(old))
    }
    await run('mount', ['-o', 'remount,rw', disk])
    const fresh = randomBytes(10_000)
    assert.equal(await upload(service.url, vault, 'a.bin', fresh), 200)
    assert.isTrue(((await read(service.url, vault, 'a.bin')) as Buffer).equals(fresh))
  }).skip(noMount !== null, noMount ?? '')

  test('a failing disk causes an error and keeps old objects, and uploads work again once the disk works', async ({
    assert,
  }) => {
    const controlled = join(folder, 'fiu')
    const preload = ['fiu_run_preload.so', 'fiu_posix_preload.so'].map((name) => join(fiu, name))
    const told = { LD_PRELOAD: preload.join(' '), FIU_CTRL_FIFO: controlled }
    service = await startVaultProcess(folder, told)
    const vault = await createTestVault(service)
    const control = (order: string) =>
      run('fiu-ctrl', ['-f', controlled, '-c', order, String(service.pid)])
    /** Makes each system call with the name `call` fail with EIO while `work` runs. */
    const failing = async (call: string, work: () => Promise<void>) => {
      await control(`enable name=posix/io/${call},failinfo=5`)
      await work().finally(() => control(`disable name=posix/io/${call}`))
    }
    const put = (name: string, bytes: Buffer) => upload(service.url, vault, name, bytes)
    const old = { small: randomBytes(20_000), large: randomBytes(3_000_000) }
    for (const name of ['small', 'large'] as const) assert.equal(await put(name, old[name]), 200)
    const there = (await files(folder)).length
    const faults = {
      'rw/pwrite': ['large'],
      'sync/fdatasync': ['large'],
      'sync/fsync': ['small', 'large'],
    } as const
    for (const [call, names] of Object.entries(faults)) {
      for (const name of names) {
        await failing(call, async () => {
          assert.equal(await put(name, randomBytes(old[name].length)), 503, `${call} ${name}`)
        })
        const found = (await read(service.url, vault, name)) as Buffer
        assert.isTrue(found.equals(old[name]), `${call} ${name}`)
        assert.lengthOf(await files(folder), there, `${call} ${name}`)
      }
    }
    await failing('rw/pread', async () => {
      const found = await read(service.url, vault, 'large').catch(() => 'cut')
      assert.include([500, 503, 'cut'], found)
    })
    assert.isTrue(((await read(service.url, vault, 'large')) as Buffer).equals(old.large))
    for (const name of ['small', 'large'] as const) {
      const fresh = randomBytes(old[name].length)
      assert.equal(await put(name, fresh), 200)
      assert.isTrue(((await read(service.url, vault, name)) as Buffer).equals(fresh))
    }
    const [{ findings }] = await service.control.call('vaults', { ids: [vault.id] })
    assert.equal(findings, 0)
  }).skip(!existsSync(fiu), 'what makes a disk fail is not installed (fiu-utils)')

  test('uploads are rejected before the database runs out of disk space', async ({ assert }) => {
    service = await startVaultProcess(folder, { VAULT_RESERVE: String(2 ** 50) })
    const vault = await createTestVault(service)
    assert.equal(await upload(service.url, vault, 'a.bin', Buffer.from('x')), 507)
  })

  test('after SIGTERM, running requests are still answered', async ({ assert }) => {
    service = await startVaultProcess(folder)
    const vault = await createTestVault(service)
    const size = 200_000
    const { path } = await service.control.call('link', {
      id: vault.id,
      name: 'a.bin',
      expiresIn: 600,
      upload: { size },
    })
    const sending = request(service.url + path, {
      method: 'PUT',
      headers: { 'content-length': size, expect: '100-continue' },
    })
    const answered = new Promise<number>((done, failed) => {
      sending.on('response', (response) => done(response.statusCode!)).on('error', failed)
    })
    sending.flushHeaders()
    await Promise.race([once(sending, 'continue'), answered])
    sending.write(Buffer.alloc(100_000))
    await wait(300)
    const stopped = service.stop()
    await wait(300)
    sending.end(Buffer.alloc(100_000))
    assert.equal(await answered, 200)
    assert.equal(await stopped, 0)
    service = await startVaultProcess(folder)
    assert.equal(((await read(service.url, vault, 'a.bin')) as Buffer).length, size)
  })

  test('with two threads, a read that starts after a confirmed change returns the changed object', async ({
    assert,
  }) => {
    service = await startVaultProcess(folder)
    const vault = await createTestVault(service)
    const { url } = service
    let now = 0
    await upload(url, vault, 'n.txt', Buffer.from('0'))
    let writing = true
    const reader = async () => {
      while (writing) {
        const atLeast = now
        const text = ((await read(url, vault, 'n.txt')) as Buffer).toString()
        assert.isAtLeast(Number(text), atLeast)
      }
    }
    // Each connection stays with one thread, so many connections are needed to reach both threads.
    const readers = Array.from({ length: 12 }, reader)
    for (let next = 1; next <= 150; next++) {
      assert.equal(await upload(url, vault, 'n.txt', Buffer.from(String(next))), 200)
      now = next
    }
    writing = false
    await Promise.all(readers)
    await service.control.call('changeVault', { id: vault.id, state: 'suspended' })
    const after = await Promise.all(Array.from({ length: 12 }, () => read(url, vault, 'n.txt')))
    assert.deepEqual(new Set(after), new Set([403]))
  })
})

async function files(folder: string): Promise<string[]> {
  const entries = await readdir(join(folder, 'bodies'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}
