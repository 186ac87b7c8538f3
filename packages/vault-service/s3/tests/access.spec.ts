import { test } from '@japa/runner'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetBucketAccelerateConfigurationCommand,
  GetBucketAclCommand,
  GetBucketCorsCommand,
  GetBucketEncryptionCommand,
  GetBucketInventoryConfigurationCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLocationCommand,
  GetBucketLoggingCommand,
  GetBucketNotificationConfigurationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketPolicyStatusCommand,
  GetBucketReplicationCommand,
  GetBucketRequestPaymentCommand,
  GetBucketTaggingCommand,
  GetBucketVersioningCommand,
  GetBucketWebsiteCommand,
  GetObjectAclCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  ListBucketMetricsConfigurationsCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  type ObjectAttributes,
  type S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { eventually } from '#tests/support/eventually'
import { sharedVaultService, type TestService } from '../../tests/test_service.js'
import { errorCodeOf, createS3TestVault, errorOf, type TestVault } from './client.js'

interface SentRequest {
  headers: Record<string, string>
}

test.group('S3 access', (group) => {
  let service: TestService
  let vault: TestVault
  group.each.setup(async () => {
    service = await sharedVaultService()
    vault = await createS3TestVault(service)
    await put()
  })

  const put = (client: S3Client = vault.client, Bucket = vault.key) =>
    client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'hello' }))
  const get = (client: S3Client = vault.client, Bucket = vault.key) =>
    client.send(new GetObjectCommand({ Bucket, Key: 'a' }))
  const list = (client: S3Client = vault.client, Bucket = vault.key) =>
    client.send(new ListObjectsV2Command({ Bucket }))
  const remove = (client: S3Client = vault.client) =>
    client.send(new DeleteObjectCommand({ Bucket: vault.key, Key: 'a' }))

  test('an access key can see only its own vault, as its one bucket', async ({ assert }) => {
    const { client, key: Bucket } = vault
    const { Buckets, Owner } = await client.send(new ListBucketsCommand({}))
    assert.deepEqual(
      Buckets!.map(({ Name }) => Name),
      [Bucket]
    )
    assert.equal(Owner!.ID, String(vault.accountId))
    await client.send(new HeadBucketCommand({ Bucket }))
    const location = await client.send(new GetBucketLocationCommand({ Bucket }))
    assert.isUndefined(location.LocationConstraint)
    assert.isUndefined((await client.send(new GetBucketVersioningCommand({ Bucket }))).Status)
    const made = await client.send(new CreateBucketCommand({ Bucket }))
    assert.equal(made.Location, `/${Bucket}`)
    const CreateBucketConfiguration = { LocationConstraint: 'eu-central-1' as const }
    await client.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }))
    const other = client.send(new CreateBucketCommand({ Bucket: 'another' }))
    assert.equal(await errorCodeOf(other), 'AccessDenied')
    const locked = new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true })
    assert.equal(await errorCodeOf(client.send(locked)), 'NotImplemented')
  })

  test('CORS rules are returned, and apply to responses', async ({ assert }) => {
    const command = new GetBucketCorsCommand({ Bucket: vault.key })
    assert.equal(await errorCodeOf(vault.client.send(command)), 'NoSuchCORSConfiguration')
    const rule = {
      origins: ['https://app.example.com'],
      methods: ['GET' as const, 'PUT' as const],
      headers: ['*'],
      exposed: ['ETag'],
      maxAge: 60,
    }
    await service.control.call('changeVault', { id: vault.id, cors: [rule] })
    const { CORSRules } = await vault.client.send(command)
    assert.deepEqual(CORSRules, [
      {
        AllowedOrigins: rule.origins,
        AllowedMethods: rule.methods,
        AllowedHeaders: rule.headers,
        ExposeHeaders: rule.exposed,
        MaxAgeSeconds: 60,
      },
    ])
    const url = await getSignedUrl(
      vault.client,
      new GetObjectCommand({ Bucket: vault.key, Key: 'a' })
    )
    const allowed = await fetch(url, { headers: { origin: 'https://app.example.com' } })
    assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example.com')
    const other = await fetch(url, { headers: { origin: 'https://evil.example.com' } })
    assert.isNull(other.headers.get('access-control-allow-origin'))
    const asked = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example.com',
        'access-control-request-method': 'PUT',
      },
    })
    assert.equal(asked.headers.get('access-control-allow-origin'), 'https://app.example.com')
    const forged = await fetch(url.replace('/a?', '/b?'), {
      headers: { origin: 'https://app.example.com' },
    })
    assert.equal(forged.status, 403)
    assert.equal(forged.headers.get('access-control-allow-origin'), 'https://app.example.com')
  })

  test('rejects a wrong secret, an unknown access key and the account number', async ({
    assert,
  }) => {
    const wrong = await errorOf(get(vault.as({ secretKey: 'x'.repeat(40) })))
    assert.deepEqual([wrong.code, wrong.status], ['SignatureDoesNotMatch', 403])
    assert.notInclude(wrong.message, vault.secretKey)
    const unknown = vault.as({ accessKeyId: 'UNKNOWN' })
    assert.equal(await errorCodeOf(get(unknown)), 'InvalidAccessKeyId')
    const own = vault.as({ accessKeyId: String(vault.accountId), secretKey: vault.secret })
    assert.equal(await errorCodeOf(get(own)), 'InvalidAccessKeyId')
  })

  test('another key’s vault and a vault that does not exist cause the same error', async ({
    assert,
  }) => {
    const other = await createS3TestVault(service)
    await put(other.client, other.key)
    for (const action of [get, put, list]) {
      const there = await errorOf(action(vault.client, other.key))
      const nowhere = await errorOf(action(vault.client, 'nothing'))
      assert.deepEqual(there, nowhere)
      assert.equal(there.code, 'AccessDenied')
    }
    assert.equal(await errorCodeOf(get(other.client, other.key)), 'done')
  })

  test('a read-only key cannot write, and a removed key or a replaced secret stops working', async ({
    assert,
  }) => {
    const made = await service.control.call('makeKey', {
      id: vault.id,
      name: 'reader',
      readOnly: true,
    })
    const reader = vault.as({ accessKeyId: made.accessKeyId, secretKey: made.secret })
    assert.equal(await errorCodeOf(get(reader)), 'done')
    assert.equal(await errorCodeOf(list(reader)), 'done')
    assert.equal(await errorCodeOf(put(reader)), 'AccessDenied')
    assert.equal(await errorCodeOf(remove(reader)), 'AccessDenied')
    const keys = await service.control.call('keys', { id: vault.id })
    const keyId = keys.find(({ accessKeyId }) => accessKeyId === made.accessKeyId)!.id
    await service.control.call('removeKey', { id: vault.id, keyId })
    assert.equal(await errorCodeOf(get(reader)), 'InvalidAccessKeyId')
  })

  test('each state of a vault allows only certain operations', async ({ assert }) => {
    const become = (state: 'active' | 'read_only' | 'suspended') =>
      service.control.call('changeVault', { id: vault.id, state })
    await become('read_only')
    assert.equal(await errorCodeOf(get()), 'done')
    assert.equal(await errorCodeOf(put()), 'AccessDenied')
    assert.equal(await errorCodeOf(remove()), 'AccessDenied')
    await become('suspended')
    for (const action of [get, put, list, remove]) {
      const { code, message } = await errorOf(action())
      assert.equal(code, 'AccessDenied')
      assert.match(message, /suspended/)
    }
    await become('active')
    assert.equal(await errorCodeOf(put()), 'done')
  })

  test('a vault at its monthly limit allows only deletions', async ({ assert }) => {
    await service.control.call('changeVault', { id: vault.id, monthlyLimit: '0.00' })
    await eventually(async () => {
      await service.fold()
      const [info] = await service.control.call('vaults', { ids: [vault.id] })
      assert.isTrue(info.limitReached)
    })
    for (const action of [get, put, list]) {
      const { code, status } = await errorOf(action())
      assert.deepEqual([code, status], ['QuotaExceeded', 403])
    }
    assert.equal(await errorCodeOf(remove()), 'done')
  })

  test('rejects object names with characters that cannot be stored', async ({ assert }) => {
    const text = async (url: string, init: RequestInit = {}) => (await fetch(url, init)).text()
    const sign = (Metadata: Record<string, string>) =>
      getSignedUrl(vault.client, new PutObjectCommand({ Bucket: vault.key, Key: 'odd', Metadata }))
    const link = await sign({ a: 'b\u0000c' })
    assert.match(await text(link, { method: 'PUT', body: '' }), /<Code>InvalidArgument</)
    const named = await sign({ 'a b': 'c' })
    assert.match(await text(named, { method: 'PUT', body: '' }), /<Code>InvalidArgument</)
    const unknown = link.replace(vault.accessKeyId, '%00')
    const said = await text(unknown, { method: 'PUT', body: '' })
    assert.match(said, /<Code>InvalidAccessKeyId</)
    assert.notInclude(said, '\u0000')
    const path = await text(`${service.url}/${vault.key}/%ff?X-Amz-Signature=x`)
    assert.match(path, /<Code>InvalidURI</)
  })

  test('a presigned URL works without a key until it expires, only for the signed request', async ({
    assert,
  }) => {
    const Bucket = vault.key
    const link = await getSignedUrl(vault.client, new GetObjectCommand({ Bucket, Key: 'a' }), {
      expiresIn: 60,
    })
    assert.equal(await (await fetch(link)).text(), 'hello')
    assert.equal((await fetch(link.replace('/a?', '/b?'))).status, 403)
    const head = await fetch(link, { method: 'HEAD' })
    assert.equal(head.status, 403)
    const ended = await getSignedUrl(vault.client, new GetObjectCommand({ Bucket, Key: 'a' }), {
      expiresIn: 60,
      signingDate: new Date(Date.now() - 61_000),
    })
    const late = await fetch(ended)
    assert.equal(late.status, 403)
    assert.match(await late.text(), /<Code>AccessDenied<\/Code><Message>Request has expired/)
    const command = new PutObjectCommand({ Bucket, Key: 'linked', Metadata: { by: 'link' } })
    const upload = await getSignedUrl(vault.client, command)
    const sent = await fetch(upload, { method: 'PUT', body: 'from a page' })
    assert.equal(sent.status, 200, await sent.text())
    const found = await vault.client.send(new GetObjectCommand({ Bucket, Key: 'linked' }))
    assert.equal(await found.Body!.transformToString(), 'from a page')
    assert.deepEqual(found.Metadata, { by: 'link' })
    const page = await getSignedUrl(
      vault.client,
      new GetObjectCommand({ Bucket, Key: 'a', ResponseContentType: 'text/html' })
    )
    const shown = await fetch(page)
    assert.equal(shown.headers.get('content-type'), 'text/html')
    assert.equal(shown.headers.get('x-content-type-options'), 'nosniff')
    assert.match(shown.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  })

  const refusedHeaders = {
    'x-amz-server-side-encryption': 'aws:kms',
    'x-amz-server-side-encryption-customer-algorithm': 'AES256',
    'x-amz-server-side-encryption-bucket-key-enabled': 'true',
    'x-amz-object-lock-mode': 'GOVERNANCE',
    'x-amz-object-lock-legal-hold': 'ON',
    'x-amz-tagging': 'a=b',
    'x-amz-grant-read': 'uri="http://acs.amazonaws.com/groups/global/AllUsers"',
  }

  /** Sends the headers exactly as they are. The SDK would leave out empty ones. */
  const putWith = (headers: Record<string, string>) => {
    const command = new PutObjectCommand({ Bucket: vault.key, Key: 'b', Body: 'hello' })
    command.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as SentRequest).headers, headers)
        return next(args)
      },
      { step: 'build' }
    )
    return vault.client.send(command)
  }

  test('headers that backup programs send, but that request no feature, are accepted', async ({
    assert,
  }) => {
    const harmless: Record<string, string>[] = [
      { 'x-amz-tagging': '' },
      { 'x-amz-server-side-encryption': 'AES256' },
      { 'x-amz-server-side-encryption-bucket-key-enabled': 'false' },
      { 'x-amz-object-lock-legal-hold': 'OFF' },
      { 'x-amz-acl': 'private' },
      { 'x-amz-acl': 'bucket-owner-full-control' },
      { 'x-amz-storage-class': 'STANDARD' },
      { 'x-amz-request-payer': 'requester' },
      { 'x-amz-expected-bucket-owner': String(vault.accountId) },
      { 'x-amz-meta-mtime': '1732773600.5' },
      { expect: '100-continue' },
    ]
    for (const headers of harmless) {
      const { code, message } = await errorOf(putWith(headers))
      assert.equal(code, 'done', `${JSON.stringify(headers)}: ${message}`)
    }
    // Berth does not encrypt objects, so no response may contain a header that says it does.
    const stored = await putWith({ 'x-amz-server-side-encryption': 'AES256' })
    assert.isUndefined(stored.ServerSideEncryption)
    const owner = await errorCodeOf(putWith({ 'x-amz-expected-bucket-owner': '123456789012' }))
    assert.equal(owner, 'AccessDenied')
    const read = { Bucket: vault.key, Key: 'a', ExpectedBucketOwner: '123456789012' }
    assert.equal(await errorCodeOf(vault.client.send(new GetObjectCommand(read))), 'AccessDenied')
    const [Bucket, Key] = [vault.key, 'c']
    const CopySource = `${Bucket}/a`
    const copy = { Bucket, Key, CopySource, TaggingDirective: 'COPY' as const }
    await vault.client.send(new CopyObjectCommand(copy))
  })

  test('settings that a vault does not have get the same response as in S3', async ({ assert }) => {
    const { client, key: Bucket } = vault
    const at = { Bucket, Key: 'a' }
    const codes: [Promise<unknown>, string][] = [
      [client.send(new GetBucketPolicyCommand({ Bucket })), 'NoSuchBucketPolicy'],
      [client.send(new GetBucketPolicyStatusCommand({ Bucket })), 'NoSuchBucketPolicy'],
      [client.send(new GetBucketTaggingCommand({ Bucket })), 'NoSuchTagSet'],
      [
        client.send(new GetBucketLifecycleConfigurationCommand({ Bucket })),
        'NoSuchLifecycleConfiguration',
      ],
      [client.send(new GetBucketWebsiteCommand({ Bucket })), 'NoSuchWebsiteConfiguration'],
      [
        client.send(new GetBucketEncryptionCommand({ Bucket })),
        'ServerSideEncryptionConfigurationNotFoundError',
      ],
      [
        client.send(new GetObjectLockConfigurationCommand({ Bucket })),
        'ObjectLockConfigurationNotFoundError',
      ],
      [
        client.send(new GetBucketReplicationCommand({ Bucket })),
        'ReplicationConfigurationNotFoundError',
      ],
      [
        client.send(new GetPublicAccessBlockCommand({ Bucket })),
        'NoSuchPublicAccessBlockConfiguration',
      ],
      [
        client.send(new GetBucketOwnershipControlsCommand({ Bucket })),
        'OwnershipControlsNotFoundError',
      ],
      [
        client.send(new GetBucketInventoryConfigurationCommand({ Bucket, Id: 'x' })),
        'NoSuchConfiguration',
      ],
      [client.send(new GetObjectRetentionCommand(at)), 'InvalidRequest'],
      [client.send(new GetObjectAclCommand({ Bucket, Key: 'missing' })), 'NoSuchKey'],
    ]
    // Awaits all requests at once. A request that fails while another is awaited would be an unhandled rejection.
    assert.deepEqual(
      await Promise.all(codes.map(([sent]) => errorCodeOf(sent))),
      codes.map(([, code]) => code)
    )
    assert.isUndefined((await client.send(new GetBucketLoggingCommand({ Bucket }))).LoggingEnabled)
    assert.isUndefined(
      (await client.send(new GetBucketAccelerateConfigurationCommand({ Bucket }))).Status
    )
    const { $metadata: _, ...notifications } = await client.send(
      new GetBucketNotificationConfigurationCommand({ Bucket })
    )
    assert.deepEqual(notifications, {})
    const { Payer } = await client.send(new GetBucketRequestPaymentCommand({ Bucket }))
    assert.equal(Payer, 'BucketOwner')
    const metrics = await client.send(new ListBucketMetricsConfigurationsCommand({ Bucket }))
    assert.isFalse(metrics.IsTruncated)
  })

  test('an ACL names the owner, and everyone as a reader of a public object', async ({
    assert,
  }) => {
    const { client, key: Bucket } = vault
    const id = String(vault.accountId)
    const owner = {
      Grantee: { ID: id, DisplayName: id, Type: 'CanonicalUser' as const },
      Permission: 'FULL_CONTROL' as const,
    }
    const URI = 'http://acs.amazonaws.com/groups/global/AllUsers'
    const everyone = { Grantee: { Type: 'Group' as const, URI }, Permission: 'READ' as const }
    const ofObject = async () => client.send(new GetObjectAclCommand({ Bucket, Key: 'a' }))
    for (const isPrivate of [false, true]) {
      await service.control.call('changeVault', { id: vault.id, isPrivate })
      const acl = await client.send(new GetBucketAclCommand({ Bucket }))
      assert.deepEqual([acl.Owner!.ID, acl.Grants], [id, [owner]])
      assert.deepEqual((await ofObject()).Grants, isPrivate ? [owner] : [owner, everyone])
    }
  })

  test('GetObjectAttributes returns the attributes of an object', async ({ assert }) => {
    const { client, key: Bucket } = vault
    const ObjectAttributes: ObjectAttributes[] = ['ETag', 'ObjectSize', 'Checksum', 'ObjectParts']
    const command = new GetObjectAttributesCommand({ Bucket, Key: 'a', ObjectAttributes })
    const found = await client.send(command)
    assert.containsSubset(found, { ETag: '5d41402abc4b2a76b9719d911017c592', ObjectSize: 5 })
    assert.isString(found.Checksum!.ChecksumCRC32)
    assert.isUndefined(found.ObjectParts)
    assert.isUndefined(found.StorageClass)
    assert.instanceOf(found.LastModified, Date)
    const missing = new GetObjectAttributesCommand({ Bucket, Key: 'missing', ObjectAttributes })
    assert.equal(await errorCodeOf(client.send(missing)), 'NoSuchKey')
  })

  test('an unsupported operation is rejected with NotImplemented, and not run as another operation', async ({
    assert,
  }) => {
    const { client, key: Bucket } = vault
    const at = { Bucket, Key: 'a' }
    const commands = [
      () => client.send(new PutObjectAclCommand({ ...at, ACL: 'public-read' })),
      () => client.send(new PutBucketCorsCommand({ Bucket, CORSConfiguration: { CORSRules: [] } })),
      () => client.send(new DeleteBucketCommand({ Bucket })),
      ...Object.entries(refusedHeaders).map(
        ([name, value]) =>
          () =>
            putWith({ [name]: value })
      ),
    ]
    for (const command of commands) {
      const { code, status, message } = await errorOf(command())
      assert.deepEqual([code, status], ['NotImplemented', 501])
      assert.match(message, /not supported/)
    }
    assert.notInclude(JSON.stringify(service.logged), 'not supported')
    const found = await get()
    assert.equal(await found.Body!.transformToString(), 'hello')
    const cold = client.send(new PutObjectCommand({ ...at, Body: '', StorageClass: 'GLACIER' }))
    assert.equal(await errorCodeOf(cold), 'InvalidStorageClass')
  })

  test('rejects Signature Version 2, a body of unknown size, and an object over 5 GiB', async ({
    assert,
  }) => {
    const old = await fetch(`${service.url}/${vault.key}/a`, {
      headers: { authorization: 'AWS key:signature' },
    })
    assert.equal(old.status, 400)
    assert.match(await old.text(), /version 4/)
    const url = await getSignedUrl(
      vault.client,
      new PutObjectCommand({ Bucket: vault.key, Key: 'unsized' })
    )
    const status = await new Promise((resolve, reject) => {
      const sending = request(url, { method: 'PUT' }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sending.on('error', reject)
      sending.write('no length')
      sending.end()
    })
    assert.equal(status, 411)
    const large = await new Promise((resolve, reject) => {
      const headers = { 'content-length': String(5 * 1_024 ** 3 + 1) }
      const sending = request(url, { method: 'PUT', headers }, (answer) => {
        answer.once('data', (piece: Buffer) => {
          resolve(piece.toString())
          sending.destroy()
        })
      })
      sending.on('error', reject)
      sending.write('the beginning')
    })
    assert.match(String(large), /EntityTooLarge/)
  })

  test('a client that sends a rejected large body gets the error, and a body is requested only if needed', async ({
    assert,
  }) => {
    const Body = randomBytes(12_000_000)
    const link = await getSignedUrl(
      vault.client,
      new PutObjectCommand({ Bucket: vault.key, Key: 'much' })
    )
    const wrong = link.replace('/much?', '/more?')
    const refused = await fetch(wrong, { method: 'PUT', body: Body })
    assert.equal(refused.status, 403)
    assert.match(await refused.text(), /SignatureDoesNotMatch/)
    const asked = (url: string) =>
      new Promise<string>((resolve, reject) => {
        const headers = { expect: '100-continue', 'content-length': String(Body.length) }
        const sending = request(url, { method: 'PUT', headers }, ({ statusCode }) => {
          resolve(`answered ${statusCode}`)
          sending.destroy()
        })
        sending.on('continue', () => {
          resolve('wanted')
          sending.end(Body)
        })
        sending.on('error', reject)
        sending.flushHeaders()
      })
    assert.equal(await asked(wrong), 'answered 403')
    assert.equal(await asked(link), 'wanted')
  })

  test('counts requests and sent bytes, even if the client disconnects', async ({ assert }) => {
    const used = async () => {
      await service.fold()
      const [info] = await service.control.call('vaults', { ids: [vault.id] })
      return info.month
    }
    const before = await used()
    await put()
    const found = await get()
    await found.Body!.transformToByteArray()
    await errorCodeOf(get(vault.as({ secretKey: 'wrong' })))
    const after = await used()
    assert.equal(after.requests - before.requests, 2)
    assert.equal(after.bytesIn - before.bytesIn, 5)
    assert.equal(after.bytesOut - before.bytesOut, 5)
    const Body = randomBytes(20_000_000)
    await vault.client.send(new PutObjectCommand({ Bucket: vault.key, Key: 'large', Body }))
    const whole = await used()
    const gone = await vault.client.send(new GetObjectCommand({ Bucket: vault.key, Key: 'large' }))
    const reading = gone.Body as Readable
    await once(reading, 'readable')
    reading.destroy()
    await eventually(async () => {
      const cut = await used()
      assert.equal(cut.requests - whole.requests, 1)
      assert.isBelow(cut.bytesOut - whole.bytesOut, 20_000_000)
    })
  })
})
