import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
  type CompletedPart,
  type CreateMultipartUploadCommandInput,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { FolderBodyStorage } from '../../store/folder_body_storage.js'
import { sharedVaultService } from '../../tests/test_service.js'
import { errorCodeOf, createS3TestVault, md5, errorOf, sha256, type TestVault } from './client.js'

const BYTES_PER_MIB = 1_024 ** 2

test.group('S3 multipart uploads', (group) => {
  let vault: TestVault
  group.setup(async () => {
    vault = await createS3TestVault(await sharedVaultService())
  })

  const begin = async (Key: string, more: Partial<CreateMultipartUploadCommandInput> = {}) => {
    const made = await vault.client.send(
      new CreateMultipartUploadCommand({ Bucket: vault.key, Key, ...more })
    )
    return { Bucket: vault.key, Key, UploadId: made.UploadId! }
  }
  type At = Awaited<ReturnType<typeof begin>>
  const part = async (at: At, PartNumber: number, Body: Buffer, more = {}) => {
    const sent = await vault.client.send(
      new UploadPartCommand({ ...at, PartNumber, Body, ...more })
    )
    return { PartNumber, ETag: sent.ETag, ...sums(sent) }
  }
  const sums = (from: CompletedPart) => ({
    ...(from.ChecksumCRC32 && { ChecksumCRC32: from.ChecksumCRC32 }),
    ...(from.ChecksumCRC64NVME && { ChecksumCRC64NVME: from.ChecksumCRC64NVME }),
    ...(from.ChecksumSHA256 && { ChecksumSHA256: from.ChecksumSHA256 }),
  })
  const complete = (at: At, Parts: CompletedPart[], more = {}) =>
    vault.client.send(
      new CompleteMultipartUploadCommand({ ...at, MultipartUpload: { Parts }, ...more })
    )
  const read = async (Key: string, more = {}) => {
    const found = await vault.client.send(new GetObjectCommand({ Bucket: vault.key, Key, ...more }))
    return Buffer.from(await found.Body!.transformToByteArray())
  }

  test('completing an upload joins the parts to one object, in order and only once', async ({
    assert,
  }) => {
    const at = await begin('parts', { Metadata: { a: 'b' }, ContentType: 'text/css' })
    const [first, second] = [randomBytes(5 * BYTES_PER_MIB), randomBytes(1_000)]
    const two = await part(at, 2, second)
    await part(at, 1, randomBytes(10))
    const one = await part(at, 1, first)
    assert.equal(await errorCodeOf(read('parts')), 'NoSuchKey')
    const listed = await vault.client.send(new ListPartsCommand({ ...at, MaxParts: 1 }))
    assert.containsSubset(listed, { IsTruncated: true, NextPartNumberMarker: '1' })
    assert.equal(listed.Parts![0].Size, first.length)
    const rest = await vault.client.send(
      new ListPartsCommand({ ...at, PartNumberMarker: listed.NextPartNumberMarker })
    )
    assert.deepEqual(
      rest.Parts!.map(({ PartNumber }) => PartNumber),
      [2]
    )
    assert.equal(await errorCodeOf(complete(at, [two, one])), 'InvalidPartOrder')
    const wrong = [{ ...one, ETag: md5(first).replace(/./, 'x') }, two]
    assert.equal(await errorCodeOf(complete(at, wrong)), 'InvalidPart')
    const made = await complete(at, [one, two])
    assert.match(made.ETag!, /^"[0-9a-f]{32}-2"$/)
    assert.isTrue((await read('parts')).equals(Buffer.concat([first, second])))
    assert.isTrue((await read('parts', { PartNumber: 2 })).equals(second))
    assert.equal(await errorCodeOf(read('parts', { PartNumber: 3 })), 'InvalidPartNumber')
    const across = await read('parts', {
      Range: `bytes=${5 * BYTES_PER_MIB - 2}-${5 * BYTES_PER_MIB + 1}`,
    })
    assert.isTrue(across.equals(Buffer.concat([first.subarray(-2), second.subarray(0, 2)])))
    const head = await vault.client.send(new HeadObjectCommand({ Bucket: vault.key, Key: 'parts' }))
    assert.containsSubset(head, { Metadata: { a: 'b' }, ContentType: 'text/css' })
    // Clients repeat the request if the connection broke. Neither the repeated request nor a later abort may destroy
    // the object.
    assert.equal((await complete(at, [one, two])).ETag, made.ETag)
    await errorCodeOf(vault.client.send(new AbortMultipartUploadCommand(at)))
    assert.equal((await read('parts')).length, 5 * BYTES_PER_MIB + 1_000)
    assert.equal(await errorCodeOf(part(at, 3, second)), 'NoSuchUpload')
  })

  test('two concurrent requests to complete an upload get the same response', async ({
    assert,
  }) => {
    const at = await begin('twice')
    const parts = [await part(at, 1, randomBytes(100))]
    const made = await Promise.all([complete(at, parts), complete(at, parts), complete(at, parts)])
    assert.lengthOf(new Set(made.map(({ ETag }) => ETag)), 1)
  })

  test('checksums of the parts and of the whole object are verified and returned', async ({
    assert,
  }) => {
    const bodies = [randomBytes(5 * BYTES_PER_MIB), randomBytes(5 * BYTES_PER_MIB), randomBytes(77)]
    const whole = Buffer.concat(bodies)
    const kinds = [
      ['CRC32', 'COMPOSITE'],
      ['CRC32', 'FULL_OBJECT'],
      ['CRC64NVME', 'FULL_OBJECT'],
      ['SHA256', 'COMPOSITE'],
    ] as const
    for (const [ChecksumAlgorithm, ChecksumType] of kinds) {
      const name = `sums-${ChecksumAlgorithm}-${ChecksumType}`
      const at = await begin(name, { ChecksumAlgorithm, ChecksumType })
      const parts: CompletedPart[] = []
      for (const [index, body] of bodies.entries()) {
        parts.push(await part(at, index + 1, body, { ChecksumAlgorithm }))
      }
      const made = await complete(at, parts)
      const key = `Checksum${ChecksumAlgorithm}` as const
      assert.equal(made.ChecksumType, ChecksumType)
      if (ChecksumType === 'COMPOSITE') assert.match(made[key]!, /-3$/)
      else {
        const plain = await vault.client.send(
          new PutObjectCommand({ Bucket: vault.key, Key: 'plain', Body: whole, ChecksumAlgorithm })
        )
        assert.equal(made[key], plain[key])
      }
      const found = await vault.client.send(
        new HeadObjectCommand({ Bucket: vault.key, Key: name, ChecksumMode: 'ENABLED' })
      )
      assert.equal(found[key], made[key])
      assert.equal(sha256(await read(name)), sha256(whole))
    }
  })

  test('a wrong checksum creates no object', async ({ assert }) => {
    const at = await begin('differs', { ChecksumAlgorithm: 'CRC64NVME' })
    const one = await part(at, 1, randomBytes(9), { ChecksumAlgorithm: 'CRC64NVME' })
    const other = { ...one, ChecksumCRC64NVME: 'AAAAAAAAAAA=' }
    assert.equal(await errorCodeOf(complete(at, [other])), 'InvalidPart')
    const whole = { ChecksumCRC64NVME: 'AAAAAAAAAAA=', ChecksumType: 'FULL_OBJECT' }
    assert.equal(await errorCodeOf(complete(at, [one], whole)), 'BadDigest')
    const otherKind = part(at, 1, randomBytes(9), { ChecksumAlgorithm: 'SHA256' })
    assert.equal(await errorCodeOf(otherKind), 'InvalidRequest')
    assert.equal(await errorCodeOf(read('differs')), 'NoSuchKey')
    const none = begin('x', { ChecksumAlgorithm: 'SHA1', ChecksumType: 'FULL_OBJECT' })
    assert.equal(await errorCodeOf(none), 'InvalidRequest')
  })

  test('rejects small parts and invalid part numbers, and respects conditions', async ({
    assert,
  }) => {
    const at = await begin('small')
    const parts = [await part(at, 1, randomBytes(100)), await part(at, 2, randomBytes(100))]
    assert.equal(await errorCodeOf(complete(at, parts)), 'EntityTooSmall')
    for (const number of [0, 10_001]) {
      assert.equal(await errorCodeOf(part(at, number, randomBytes(1))), 'InvalidArgument')
    }
    assert.equal(await errorCodeOf(complete(at, [])), 'MalformedXML')
    await vault.client.send(new PutObjectCommand({ Bucket: vault.key, Key: 'small', Body: 'x' }))
    const taken = await errorCodeOf(complete(at, parts.slice(0, 1), { IfNoneMatch: '*' }))
    assert.equal(taken, 'PreconditionFailed')
    await vault.client.send(new AbortMultipartUploadCommand(at))
    assert.equal(await errorCodeOf(complete(at, parts.slice(0, 1))), 'NoSuchUpload')
    const ended = await errorOf(vault.client.send(new AbortMultipartUploadCommand(at)))
    assert.deepEqual([ended.code, ended.status], ['NoSuchUpload', 404])
    const foreign = { ...(await begin('mine')), Key: 'another' }
    assert.equal(await errorCodeOf(part(foreign, 1, randomBytes(1))), 'NoSuchUpload')
  })

  test('a part can be a copy of an existing object’s bytes', async ({ assert }) => {
    const bytes = randomBytes(6 * BYTES_PER_MIB)
    await vault.client.send(new PutObjectCommand({ Bucket: vault.key, Key: 'whole', Body: bytes }))
    const at = await begin('pieced', { ChecksumAlgorithm: 'CRC32', ChecksumType: 'FULL_OBJECT' })
    const copy = (PartNumber: number, CopySourceRange?: string) =>
      vault.client.send(
        new UploadPartCopyCommand({
          ...at,
          PartNumber,
          CopySource: `${vault.key}/whole`,
          CopySourceRange,
        })
      )
    const one = (await copy(1, `bytes=0-${5 * BYTES_PER_MIB - 1}`)).CopyPartResult!
    const two = (await copy(2, `bytes=${5 * BYTES_PER_MIB}-${6 * BYTES_PER_MIB - 1}`))
      .CopyPartResult!
    await complete(at, [
      { PartNumber: 1, ETag: one.ETag },
      { PartNumber: 2, ETag: two.ETag },
    ])
    assert.isTrue((await read('pieced')).equals(bytes))
    const plain = await vault.client.send(
      new HeadObjectCommand({ Bucket: vault.key, Key: 'whole', ChecksumMode: 'ENABLED' })
    )
    const pieced = await vault.client.send(
      new HeadObjectCommand({ Bucket: vault.key, Key: 'pieced', ChecksumMode: 'ENABLED' })
    )
    assert.equal(pieced.ChecksumCRC32, plain.ChecksumCRC32)
    const open = await begin('beyond')
    const beyond = vault.client.send(
      new UploadPartCopyCommand({
        ...open,
        PartNumber: 1,
        CopySource: `${vault.key}/whole`,
        CopySourceRange: `bytes=0-${6 * BYTES_PER_MIB}`,
      })
    )
    assert.equal(await errorCodeOf(beyond), 'InvalidRange')
  })

  test('at most 16 parts of a vault are copied at once, and the error says what to do', async ({
    assert,
  }) => {
    const Body = Buffer.alloc(12 * BYTES_PER_MIB)
    await vault.client.send(new PutObjectCommand({ Bucket: vault.key, Key: 'to copy', Body }))
    const at = await begin('copies')
    const copy = (PartNumber: number) =>
      errorOf(
        vault.client.send(
          new UploadPartCopyCommand({ ...at, PartNumber, CopySource: `${vault.key}/to copy` })
        )
      )
    const outcomes = await Promise.all(Array.from({ length: 48 }, (_, index) => copy(index + 1)))
    const rejected = outcomes.filter(({ code }) => code !== 'done')
    assert.isAtLeast(outcomes.length - rejected.length, 16)
    assert.isNotEmpty(rejected)
    for (const error of rejected) {
      const message =
        'This vault is already copying 16 objects or parts. Try again later, or copy fewer at once.'
      assert.deepEqual(error, { code: 'SlowDown', status: 503, message })
    }
    assert.equal((await copy(1)).code, 'done')
    await vault.client.send(new AbortMultipartUploadCommand(at))
  })

  /** Returns a function whose promise resolves when the store writes the first bytes of its next body. */
  const watchWrites = (cleanup: (undo: () => void) => void) => {
    const { write } = FolderBodyStorage.prototype
    let begun = Promise.withResolvers<void>()
    FolderBodyStorage.prototype.write = function (body, source, signal) {
      const watched = async function* () {
        for await (const chunk of source) {
          begun.resolve()
          yield chunk
        }
      }
      return write.call(this, body, watched(), signal)
    }
    cleanup(() => void (FolderBodyStorage.prototype.write = write))
    return () => (begun = Promise.withResolvers<void>()).promise
  }

  test('copying a part stops when the client disconnects', async ({ assert, cleanup }) => {
    const writing = watchWrites(cleanup)
    const Body = Buffer.alloc(256 * BYTES_PER_MIB)
    await vault.client.send(new PutObjectCommand({ Bucket: vault.key, Key: 'to copy', Body }))
    const at = await begin('interrupted')
    const leaving = new AbortController()
    const copy = (PartNumber: number, abortSignal?: AbortSignal) =>
      vault.client.send(
        new UploadPartCopyCommand({ ...at, PartNumber, CopySource: `${vault.key}/to copy` }),
        { abortSignal }
      )
    const began = Date.now()
    await copy(1)
    const copyMs = Date.now() - began
    const begun = writing()
    const copying = copy(2, leaving.signal)
    void begun.then(() => leaving.abort())
    await assert.rejects(() => copying, /aborted/i)
    // Time in which a copy that was not stopped would finish.
    await wait(5_000 + 2 * copyMs)
    const { Parts = [] } = await vault.client.send(new ListPartsCommand(at))
    assert.deepEqual(
      Parts.map(({ PartNumber }) => PartNumber),
      [1]
    )
    await vault.client.send(new AbortMultipartUploadCommand(at))
  })

  /** Makes hard links fail, as on a file system that does not support them. */
  const withoutLinks = (cleanup: (undo: () => void) => void) => {
    const { link } = FolderBodyStorage.prototype
    FolderBodyStorage.prototype.link = () => Promise.resolve(false)
    cleanup(() => void (FolderBodyStorage.prototype.link = link))
  }
  const copyObject = (Key: string, abortSignal?: AbortSignal) =>
    vault.client.send(
      new CopyObjectCommand({ Bucket: vault.key, Key, CopySource: `${vault.key}/to copy` }),
      { abortSignal }
    )

  test('on a file system without hard links, at most 16 objects of a vault are copied at once', async ({
    assert,
    cleanup,
  }) => {
    withoutLinks(cleanup)
    const Body = Buffer.alloc(12 * BYTES_PER_MIB)
    await vault.client.send(new PutObjectCommand({ Bucket: vault.key, Key: 'to copy', Body }))
    const copy = (at: number) => errorOf(copyObject(`copy ${at}`))
    const outcomes = await Promise.all(Array.from({ length: 48 }, (_, at) => copy(at)))
    const rejected = outcomes.filter(({ code }) => code !== 'done')
    assert.isAtLeast(outcomes.length - rejected.length, 16)
    assert.isNotEmpty(rejected)
    for (const { code, status } of rejected) {
      assert.deepEqual({ code, status }, { code: 'SlowDown', status: 503 })
    }
    assert.equal((await copy(1)).code, 'done')
  })

  test('on a file system without hard links, copying an object stops when the client disconnects', async ({
    assert,
    cleanup,
  }) => {
    withoutLinks(cleanup)
    const writing = watchWrites(cleanup)
    const Body = Buffer.alloc(256 * BYTES_PER_MIB)
    await vault.client.send(new PutObjectCommand({ Bucket: vault.key, Key: 'to copy', Body }))
    const leaving = new AbortController()
    const began = Date.now()
    await copyObject('whole copy')
    const copyMs = Date.now() - began
    const begun = writing()
    const copying = copyObject('interrupted copy', leaving.signal)
    void begun.then(() => leaving.abort())
    await assert.rejects(() => copying, /aborted/i)
    // Time in which a copy that was not stopped would finish.
    await wait(2_000 + 2 * copyMs)
    const head = { Bucket: vault.key, Key: 'interrupted copy' }
    assert.equal(await errorCodeOf(vault.client.send(new HeadObjectCommand(head))), 'NotFound')
  })

  test('lists unfinished uploads in pages', async ({ assert }) => {
    const own = await createS3TestVault(await sharedVaultService())
    const begun: string[] = []
    for (const Key of ['u/a', 'u/a', 'u/b', 'v', 'u/a']) {
      const made = await own.client.send(new CreateMultipartUploadCommand({ Bucket: own.key, Key }))
      begun.push(`${Key} ${made.UploadId}`)
    }
    const list = (more = {}) =>
      own.client.send(new ListMultipartUploadsCommand({ Bucket: own.key, ...more }))
    for (const MaxUploads of [1, 2, 3, 10]) {
      const found: string[] = []
      for (let more = {}; ;) {
        const page = await list({ MaxUploads, ...more })
        found.push(...(page.Uploads ?? []).map(({ Key, UploadId }) => `${Key} ${UploadId}`))
        if (!page.IsTruncated) break
        more = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
      }
      assert.deepEqual(found, begun.toSorted())
    }
    assert.lengthOf((await list({ Prefix: 'u/' })).Uploads!, 4)
    assert.lengthOf((await list({ KeyMarker: 'u/a' })).Uploads!, 2)
  })

  test('accepts a multipart upload by the SDK’s class `Upload`', async ({ assert }) => {
    const bytes = randomBytes(12 * BYTES_PER_MIB + 5)
    const upload = new Upload({
      client: vault.client,
      params: { Bucket: vault.key, Key: 'managed', Body: bytes },
    })
    await upload.done()
    assert.isTrue((await read('managed')).equals(bytes))
  })
})
