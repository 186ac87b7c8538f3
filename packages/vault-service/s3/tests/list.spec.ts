import { test } from '@japa/runner'
import {
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3'
import { Database } from '../../store/database.js'
import { sharedVaultService } from '../../tests/test_service.js'
import { errorCodeOf, createS3TestVault, type TestVault } from './client.js'

const names = ['a.txt', 'b/1', 'b/2', 'b/c/3', 'b0', 'd/4', 'e', 'ü/5']

test.group('S3 lists', (group) => {
  let vault: TestVault
  group.setup(async () => {
    vault = await createS3TestVault(await sharedVaultService())
    for (const Key of names) {
      await vault.client.send(new PutObjectCommand({ Bucket: vault.key, Key, Body: Key }))
    }
  })

  const list = async (options: Partial<ListObjectsV2CommandInput> = {}) => {
    const page = await vault.client.send(
      new ListObjectsV2Command({ Bucket: vault.key, ...options })
    )
    return {
      page,
      keys: (page.Contents ?? []).map(({ Key }) => Key!),
      prefixes: (page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix!),
    }
  }

  test('lists respect prefix, delimiter and start', async ({ assert }) => {
    assert.deepEqual((await list()).keys, names)
    const top = await list({ Delimiter: '/' })
    assert.deepEqual(top.keys, ['a.txt', 'b0', 'e'])
    assert.deepEqual(top.prefixes, ['b/', 'd/', 'ü/'])
    const below = await list({ Prefix: 'b/', Delimiter: '/' })
    assert.deepEqual([below.keys, below.prefixes], [['b/1', 'b/2'], ['b/c/']])
    assert.deepEqual((await list({ StartAfter: 'b/2' })).keys, names.slice(3))
    assert.deepEqual((await list({ Prefix: 'zzz' })).keys, [])
    const one = (await list({ Prefix: 'a.txt' })).page.Contents![0]
    assert.containsSubset(one, { Size: 5, StorageClass: 'STANDARD' })
    assert.isUndefined(one.Owner)
    const owned = await list({ FetchOwner: true, MaxKeys: 1 })
    assert.equal(owned.page.Contents![0].Owner!.ID, String(vault.accountId))
  })

  test('lists have the same entries for any page size, in both versions of the API', async ({
    assert,
  }) => {
    for (const Delimiter of [undefined, '/']) {
      const { keys, prefixes } = await list({ Delimiter })
      const whole = [...keys, ...prefixes].toSorted()
      for (let MaxKeys = 1; MaxKeys <= names.length; MaxKeys++) {
        const found: string[] = []
        for (let token: string | undefined; ;) {
          const { page, ...on } = await list({ Delimiter, MaxKeys, ContinuationToken: token })
          assert.isAtMost(page.KeyCount!, MaxKeys)
          assert.equal(page.KeyCount, on.keys.length + on.prefixes.length)
          found.push(...on.keys, ...on.prefixes)
          token = page.NextContinuationToken
          assert.equal(page.IsTruncated, token !== undefined)
          if (!token) break
        }
        assert.deepEqual(found.toSorted(), whole)
        const old: string[] = []
        for (let Marker: string | undefined; ;) {
          const page = await vault.client.send(
            new ListObjectsCommand({ Bucket: vault.key, Delimiter, MaxKeys, Marker })
          )
          old.push(
            ...(page.Contents ?? []).map(({ Key }) => Key!),
            ...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix!)
          )
          Marker = page.NextMarker
          if (!page.IsTruncated) break
        }
        assert.deepEqual(old.toSorted(), whole)
      }
    }
  })

  test('names that XML cannot represent are rejected, but existing ones can be listed, read and deleted', async ({
    assert,
  }) => {
    const { client, key: Bucket, id } = await createS3TestVault(await sharedVaultService())
    const put = (Key: string) => client.putObject({ Bucket, Key, Body: 'text' })
    const service = await sharedVaultService()
    for (const character of ['\ufffe', '\uffff']) {
      const name = `a${character}b`
      assert.equal(await errorCodeOf(put(name)), 'InvalidArgument')
      const CopySource = `${Bucket}/a`
      const copied = client.copyObject({ Bucket, Key: name, CopySource })
      assert.equal(await errorCodeOf(copied), 'InvalidArgument')
      const begun = client.createMultipartUpload({ Bucket, Key: name })
      assert.equal(await errorCodeOf(begun), 'InvalidArgument')
      const upload = { id, name, expiresIn: 60, upload: { size: 4 } }
      await assert.rejects(() => service.control.call('link', upload), /U\+FFFE or U\+FFFF/)
      const folder = { id, path: name }
      await assert.rejects(() => service.control.call('makeFolder', folder), /U\+FFFE or U\+FFFF/)
    }

    for (const name of ['a', 'b', 'c']) await put(name)
    const database = new Database(process.env.VAULT_DATABASE_URL!)
    // Simulates an object of an earlier release.
    const old = 'b\uffff'
    const rename = 'update vault.objects set name = $2 where vault_id = $1 and name = $3'
    await database.rows(rename, [id, old, 'b'])
    await database.close()
    for (const EncodingType of [undefined, 'url'] as const) {
      const found: string[] = []
      let token: string | undefined
      do {
        const page: ListObjectsV2CommandOutput = await client.listObjectsV2({
          Bucket,
          EncodingType,
          MaxKeys: 1,
          ContinuationToken: token,
        })
        found.push(...page.Contents!.map(({ Key }) => Key!))
        token = page.NextContinuationToken
      } while (token)
      assert.deepEqual(found, ['a', EncodingType ? 'b%EF%BF%BF' : 'b\ufffd', 'c'])
    }
    const { Body } = await client.getObject({ Bucket, Key: old })
    assert.equal(await Body!.transformToString(), 'text')
    await client.copyObject({ Bucket, Key: 'b', CopySource: encodeURI(`${Bucket}/${old}`) })
    await client.deleteObject({ Bucket, Key: old })
    assert.equal(await errorCodeOf(client.getObject({ Bucket, Key: old })), 'NoSuchKey')
  })

  test('lists limit the page size, and reject an invalid one', async ({ assert }) => {
    const none = await list({ MaxKeys: 0 })
    assert.containsSubset(none.page, { KeyCount: 0, IsTruncated: false })
    assert.equal((await list({ MaxKeys: 5_000 })).page.MaxKeys, 1_000)
    assert.equal(await errorCodeOf(list({ MaxKeys: -1 })), 'InvalidArgument')
    assert.equal(await errorCodeOf(list({ ContinuationToken: '!' })), 'InvalidArgument')
    assert.equal(await errorCodeOf(list({ Prefix: 'a\u0000' })), 'InvalidArgument')
    const odd = await list({ Prefix: '\n', Delimiter: '\n', StartAfter: '\n', EncodingType: 'url' })
    assert.deepEqual([odd.keys, odd.page.Prefix], [[], '%0A'])
    assert.lengthOf((await list({ StartAfter: '\n' })).keys, names.length)
  })
})
