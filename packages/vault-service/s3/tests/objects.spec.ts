import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type ChecksumAlgorithm,
} from '@aws-sdk/client-s3'
import { sharedVaultService, type TestService } from '../../tests/test_service.js'
import { errorCodeOf, createS3TestVault, md5, errorOf, type TestVault } from './client.js'

let service: TestService
let vault: TestVault
const where = (Key: string) => ({ Bucket: vault.key, Key })
const put = (Key: string, Body: Buffer | string, more = {}) =>
  vault.client.send(new PutObjectCommand({ ...where(Key), Body, ...more }))
const get = async (Key: string, more = {}) => {
  const found = await vault.client.send(new GetObjectCommand({ ...where(Key), ...more }))
  return { ...found, bytes: Buffer.from(await found.Body!.transformToByteArray()) }
}

test.group('S3 objects', (group) => {
  group.setup(async () => {
    service = await sharedVaultService()
    vault = await createS3TestVault(service)
  })

  test('returns bytes, headers and metadata unchanged', async ({ assert }) => {
    const bytes = randomBytes(300_000)
    const facts = {
      ContentType: 'image/png',
      CacheControl: 'max-age=60',
      ContentDisposition: 'attachment; filename="a.png"',
      ContentLanguage: 'de',
      ContentEncoding: 'identity',
      Metadata: { owner: 'ann', 'two-words': 'a  b' },
    }
    const made = await put('facts.png', bytes, facts)
    assert.equal(made.ETag, `"${md5(bytes)}"`)
    assert.isString(made.ChecksumCRC32)
    const found = await get('facts.png')
    assert.isTrue(found.bytes.equals(bytes))
    assert.containsSubset(found, { ...facts, ContentLength: 300_000, ETag: made.ETag })
    assert.equal(found.ChecksumCRC32, made.ChecksumCRC32)
    const head = await vault.client.send(new HeadObjectCommand(where('facts.png')))
    assert.containsSubset(head, { ...facts, ContentLength: 300_000, AcceptRanges: 'bytes' })
    assert.closeTo(head.LastModified!.getTime(), Date.now(), 60_000)
  })

  test('verifies and returns each kind of checksum, sent in a header or after chunks', async ({
    assert,
  }) => {
    const bytes = randomBytes(200_001)
    for (const algorithm of ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const) {
      const more = { ChecksumAlgorithm: algorithm satisfies ChecksumAlgorithm }
      const inHeader = await put(`sum-${algorithm}`, bytes, more)
      const name = `Checksum${algorithm}` as const
      assert.isString(inHeader[name], algorithm)
      const stream = Readable.from([bytes.subarray(0, 70_000), bytes.subarray(70_000)])
      const sent = await vault.client.send(
        new PutObjectCommand({
          ...where(`stream-${algorithm}`),
          Body: stream,
          ContentLength: bytes.length,
          ...more,
        })
      )
      assert.equal(sent[name], inHeader[name], algorithm)
      const found = await get(`stream-${algorithm}`, { ChecksumMode: 'ENABLED' })
      assert.isTrue(found.bytes.equals(bytes), algorithm)
      assert.equal(found[name], inHeader[name])
      const wrong = { [name]: Buffer.from(inHeader[name]!, 'base64').fill(0).toString('base64') }
      assert.equal(
        await errorCodeOf(put(`wrong-${algorithm}`, bytes, wrong)),
        'BadDigest',
        algorithm
      )
    }
    assert.equal(await errorCodeOf(get('wrong-SHA256')), 'NoSuchKey')
  })

  test('Content-MD5 is verified', async ({ assert }) => {
    const client = vault.as({}, { requestChecksumCalculation: 'WHEN_REQUIRED' })
    const command = (ContentMD5: string) =>
      new PutObjectCommand({ ...where('md5'), Body: 'hello', ContentMD5 })
    assert.equal(await errorCodeOf(client.send(command('XUFAKrxLKna5cZ2REBfFkg=='))), 'done')
    assert.equal(await errorCodeOf(client.send(command('AAAAAAAAAAAAAAAAAAAAAA=='))), 'BadDigest')
    assert.equal(await errorCodeOf(client.send(command('short'))), 'InvalidDigest')
  })

  test('accepts unusual names and rejects invalid ones', async ({ assert }) => {
    const names = [
      'a+b',
      'a=b',
      'a?b',
      'a:b',
      'a@b',
      'a[b]',
      'a%b',
      '%41',
      'a b',
      'a&b;c',
      "a'(b)!*",
      'ä/ö/😀',
      'ক/খ',
      '.hidden',
      'a/...',
      'x<y>"z"',
      'a\\b',
      '~',
      'a#b',
      'a|b^c`d{e}',
      'é',
    ]
    for (const name of names) {
      await put(name, name)
      assert.equal((await get(name)).bytes.toString(), name)
    }
    const listed: string[] = []
    for (let after: string | undefined; ;) {
      const page = await vault.client.send(
        new ListObjectsV2Command({
          Bucket: vault.key,
          MaxKeys: 7,
          ContinuationToken: after,
          EncodingType: 'url',
        })
      )
      listed.push(...page.Contents!.map(({ Key }) => decodeURIComponent(Key!)))
      after = page.NextContinuationToken
      if (!after) break
    }
    assert.includeMembers(listed, names)
    assert.deepEqual(
      listed,
      listed.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    )
    for (const bad of ['a//b', '/a', 'a/../b', './a', 'a/.', 'a\nb', 'a\u007fb', 'a//']) {
      assert.equal(await errorCodeOf(put(bad, 'x')), 'InvalidArgument', JSON.stringify(bad))
      assert.equal(await errorCodeOf(get(bad)), 'InvalidArgument', JSON.stringify(bad))
    }
    assert.equal(await errorCodeOf(put('x'.repeat(1_025), '')), 'KeyTooLongError')
    assert.equal(await errorCodeOf(put('ü'.repeat(512), '')), 'done')
    const gone = await vault.client.send(
      new DeleteObjectsCommand({
        Bucket: vault.key,
        Delete: { Objects: names.map((Key) => ({ Key })) },
      })
    )
    assert.sameMembers(
      gone.Deleted!.map(({ Key }) => Key),
      names
    )
    for (const name of names) assert.equal(await errorCodeOf(get(name)), 'NoSuchKey')
  })

  test('a name that ends with a slash creates an empty folder', async ({ assert }) => {
    await put('folder/', '')
    assert.equal((await get('folder/')).bytes.length, 0)
    assert.equal(await errorCodeOf(put('folder/', 'x')), 'InvalidArgument')
    await vault.client.send(new DeleteObjectCommand(where('folder/')))
    assert.equal(await errorCodeOf(get('folder/')), 'NoSuchKey')
  })

  test('Range requests return the right bytes', async ({ assert }) => {
    await put('range', '0123456789')
    await put('empty', '')
    const cases: [Key: string, Range: string, status: number, text?: string][] = [
      ['range', 'bytes=0-0', 206, '0'],
      ['range', 'bytes=0-9', 206, '0123456789'],
      ['range', 'bytes=3-', 206, '3456789'],
      ['range', 'bytes=3-100', 206, '3456789'],
      ['range', 'bytes=-3', 206, '789'],
      ['range', 'bytes=-100', 206, '0123456789'],
      ['range', 'bytes=9-9', 206, '9'],
      ['range', 'bytes=-0', 416],
      ['range', 'bytes=10-', 416],
      ['range', 'bytes=10-20', 416],
      ['range', 'bytes=5-4', 200, '0123456789'],
      ['range', 'bytes=0-0,2-2', 200, '0123456789'],
      ['range', 'bytes=a-b', 200, '0123456789'],
      ['range', 'bytes=-', 200, '0123456789'],
      ['range', 'items=0-1', 200, '0123456789'],
      ['empty', 'bytes=0-', 416],
      ['empty', 'bytes=-0', 416],
      ['empty', 'bytes=0-0', 416],
    ]
    for (const [Key, Range, status, text] of cases) {
      if (status === 416) {
        const refused = await errorOf(get(Key, { Range }))
        assert.deepEqual([refused.code, refused.status], ['InvalidRange', 416], Range)
        continue
      }
      const found = await get(Key, { Range })
      assert.equal(found.$metadata.httpStatusCode, status, Range)
      assert.equal(found.bytes.toString(), text, Range)
      assert.equal(found.ContentLength, text!.length, Range)
    }
    const ranged = await get('range', { Range: 'bytes=3-5' })
    assert.equal(ranged.ContentRange, 'bytes 3-5/10')
  })

  test('conditional reads compare ETag and date', async ({ assert }) => {
    const { ETag } = await put('condition', 'x')
    const head = await vault.client.send(new HeadObjectCommand(where('condition')))
    const at = head.LastModified!
    const before = new Date(at.getTime() - 1_000)
    const status = async (more: object) => (await errorOf(get('condition', more))).status
    assert.equal(await status({ IfMatch: ETag }), 200)
    assert.equal(await status({ IfMatch: '"other"' }), 412)
    assert.equal(await status({ IfNoneMatch: ETag }), 304)
    assert.equal(await status({ IfNoneMatch: ETag!.replaceAll('"', '') }), 304)
    assert.equal(await status({ IfNoneMatch: '"other"' }), 200)
    assert.equal(await status({ IfModifiedSince: at }), 304)
    assert.equal(await status({ IfModifiedSince: before }), 200)
    assert.equal(await status({ IfUnmodifiedSince: before }), 412)
    assert.equal(await status({ IfUnmodifiedSince: at }), 200)
    assert.equal(await status({ IfMatch: ETag, IfUnmodifiedSince: before }), 200)
    assert.equal(await status({ IfNoneMatch: '"other"', IfModifiedSince: at }), 200)
  })

  test('a request can set response headers, but not with line breaks', async ({ assert }) => {
    await put('page', '<script>alert(1)</script>')
    const found = await get('page', {
      ResponseContentType: 'text/html',
      ResponseContentDisposition: 'inline; filename="ü.html"',
      ResponseCacheControl: 'no-store',
    })
    assert.equal(found.ContentType, 'text/html')
    assert.equal(found.CacheControl, 'no-store')
    const bad = await errorCodeOf(get('page', { ResponseContentType: 'a\r\nSet-Cookie: x' }))
    assert.equal(bad, 'InvalidArgument')
  })

  test('of many concurrent writes with If-None-Match, exactly one succeeds', async ({ assert }) => {
    for (let round = 0; round < 5; round++) {
      const codes = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          errorCodeOf(put(`once-${round}`, `${at}`, { IfNoneMatch: '*' }))
        )
      )
      assert.lengthOf(
        codes.filter((code) => code === 'done'),
        1
      )
      assert.lengthOf(
        codes.filter((code) => code === 'PreconditionFailed'),
        11
      )
    }
  })

  test('writes and deletions can have a condition on the existing object', async ({ assert }) => {
    const first = await put('if-match', 'one')
    const second = await put('if-match', 'two', { IfMatch: first.ETag })
    assert.equal(
      await errorCodeOf(put('if-match', 'three', { IfMatch: first.ETag })),
      'PreconditionFailed'
    )
    assert.equal((await get('if-match')).bytes.toString(), 'two')
    const remove = (IfMatch?: string, Key = 'if-match') =>
      errorCodeOf(vault.client.send(new DeleteObjectCommand({ ...where(Key), IfMatch })))
    assert.equal(await remove(first.ETag), 'PreconditionFailed')
    assert.equal(await remove(second.ETag), 'done')
    assert.equal(await remove(second.ETag), 'NoSuchKey')
    assert.equal(await remove(), 'done')
    await put('if-match', 'four')
    const { client } = vault
    const other = { ...where('if-match'), IfMatchSize: 9 }
    assert.equal(await errorCodeOf(client.send(new DeleteObjectCommand(other))), 'NotImplemented')
    const Objects = [{ Key: 'if-match', Size: 9 }]
    const many = await client.send(
      new DeleteObjectsCommand({ Bucket: vault.key, Delete: { Objects } })
    )
    assert.equal(many.Errors![0].Code, 'NotImplemented')
    assert.equal((await get('if-match')).bytes.toString(), 'four')
  })

  test('rejects more than 2 KB of metadata', async ({ assert }) => {
    assert.equal(await errorCodeOf(put('meta', '', { Metadata: { a: 'x'.repeat(2_047) } })), 'done')
    const code = await errorCodeOf(put('meta', '', { Metadata: { a: 'x'.repeat(2_048) } }))
    assert.equal(code, 'MetadataTooLarge')
  })

  test('a copy keeps or replaces the metadata', async ({ assert }) => {
    const source = await put('source +ü', 'bytes', {
      Metadata: { a: '1' },
      ContentType: 'text/css',
    })
    const copy = (Key: string, more = {}) =>
      vault.client.send(
        new CopyObjectCommand({
          ...where(Key),
          CopySource: `${vault.key}/${encodeURIComponent('source +ü')}`,
          ...more,
        })
      )
    const made = await copy('copied')
    assert.equal(made.CopyObjectResult!.ETag, source.ETag)
    assert.equal(made.CopyObjectResult!.ChecksumCRC32, source.ChecksumCRC32)
    assert.containsSubset(await get('copied'), { Metadata: { a: '1' }, ContentType: 'text/css' })
    await copy('copied', { MetadataDirective: 'REPLACE', Metadata: { b: '2' } })
    assert.deepEqual((await get('copied')).Metadata, { b: '2' })
    assert.equal(await errorCodeOf(copy('source +ü')), 'InvalidRequest')
    await copy('source +ü', { MetadataDirective: 'REPLACE', Metadata: { c: '3' } })
    assert.deepEqual((await get('source +ü')).Metadata, { c: '3' })
    const other = await copy('copied', { ChecksumAlgorithm: 'SHA256' })
    assert.isString(other.CopyObjectResult!.ChecksumSHA256)
    const { ETag } = await get('source +ü')
    assert.equal(await errorCodeOf(copy('copied', { CopySourceIfMatch: ETag })), 'done')
    assert.equal(
      await errorCodeOf(copy('copied', { CopySourceIfMatch: '"x"' })),
      'PreconditionFailed'
    )
    assert.equal(
      await errorCodeOf(copy('copied', { CopySourceIfNoneMatch: ETag })),
      'PreconditionFailed'
    )
    const missing = await errorCodeOf(copy('copied', { CopySource: `${vault.key}/nothing` }))
    assert.equal(missing, 'NoSuchKey')
    const another = await createS3TestVault(service)
    await another.client.send(
      new PutObjectCommand({ Bucket: another.key, Key: 'theirs', Body: 'secret' })
    )
    const foreign = await errorCodeOf(copy('copied', { CopySource: `${another.key}/theirs` }))
    assert.equal(foreign, 'AccessDenied')
  })

  test('deletes at most 1,000 objects by one request', async ({ assert }) => {
    await Promise.all(['m/1', 'm/2', 'm/&<3>'].map((name) => put(name, 'x')))
    const remove = (names: string[], Quiet = false) =>
      vault.client.send(
        new DeleteObjectsCommand({
          Bucket: vault.key,
          Delete: { Quiet, Objects: names.map((Key) => ({ Key })) },
        })
      )
    const gone = await remove(['m/1', 'm/&<3>', 'm/none', 'm//never'])
    assert.sameMembers(
      gone.Deleted!.map(({ Key }) => Key),
      ['m/1', 'm/&<3>', 'm/none', 'm//never']
    )
    assert.isUndefined((await remove(['m/2'], true)).Deleted)
    const left = await vault.client.send(
      new ListObjectsV2Command({ Bucket: vault.key, Prefix: 'm/' })
    )
    assert.equal(left.KeyCount, 0)
    const many = Array.from({ length: 1_001 }, (_, at) => `m/${at}`)
    assert.equal(await errorCodeOf(remove(many)), 'MalformedXML')
    const found = await remove(many.slice(1))
    assert.lengthOf(found.Deleted!, 1_000)
  })
})
