import { test } from '@japa/runner'
import { createHmac } from 'node:crypto'
import { sharedVaultService, type TestService } from '../../tests/test_service.js'
import { computeSignature, signingKey } from '../signature.js'
import { createS3TestVault, type TestVault } from './client.js'

/** The example in S3's documentation, "Browser-Based Upload using HTTP POST". */
const documented = {
  secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  scope: '20151229/us-east-1/s3/aws4_request',
  policy:
    'eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA0KICAiY29uZGl0aW9ucyI6IFsNCiAgICB7ImJ1Y2tldCI6ICJzaWd2NGV4YW1wbGVidWNrZXQifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRrZXkiLCAidXNlci91c2VyMS8iXSwNCiAgICB7ImFjbCI6ICJwdWJsaWMtcmVhZCJ9LA0KICAgIHsic3VjY2Vzc19hY3Rpb25fcmVkaXJlY3QiOiAiaHR0cDovL3NpZ3Y0ZXhhbXBsZWJ1Y2tldC5zMy5hbWF6b25hd3MuY29tL3N1Y2Nlc3NmdWxfdXBsb2FkLmh0bWwifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRDb250ZW50LVR5cGUiLCAiaW1hZ2UvIl0sDQogICAgeyJ4LWFtei1tZXRhLXV1aWQiOiAiMTQzNjUxMjM2NTEyNzQifSwNCiAgICB7IngtYW16LXNlcnZlci1zaWRlLWVuY3J5cHRpb24iOiAiQUVTMjU2In0sDQogICAgWyJzdGFydHMtd2l0aCIsICIkeC1hbXotbWV0YS10YWciLCAiIl0sDQoNCiAgICB7IngtYW16LWNyZWRlbnRpYWwiOiAiQUtJQUlPU0ZPRE5ON0VYQU1QTEUvMjAxNTEyMjkvdXMtZWFzdC0xL3MzL2F3czRfcmVxdWVzdCJ9LA0KICAgIHsieC1hbXotYWxnb3JpdGhtIjogIkFXUzQtSE1BQy1TSEEyNTYifSwNCiAgICB7IngtYW16LWRhdGUiOiAiMjAxNTEyMjlUMDAwMDAwWiIgfQ0KICBdDQp9',
  signature: '8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e',
}

interface Form {
  fields?: Record<string, string>
  conditions?: unknown[]
  file?: string
  filename?: string
  /** Time of expiry. Default: in an hour. */
  expiration?: string
  secret?: string
  /** Changes the form after it was signed. */
  tamper?(form: FormData): void
}

test.group('S3 form uploads', (group) => {
  let service: TestService
  let vault: TestVault
  group.each.setup(async () => {
    service = await sharedVaultService()
    vault = await createS3TestVault(service)
  })

  const hmac = (key: Buffer | string, text: string) =>
    createHmac('sha256', key).update(text).digest()

  /** Signs a form as a website's server does, and sends it as a browser does. */
  async function post(form: Form = {}) {
    const { fields = { key: 'in/${filename}' }, file = 'hello', filename = 'a.txt' } = form
    const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
    const scope = [date.slice(0, 8), 'us-east-1', 's3', 'aws4_request']
    const signed = {
      ...fields,
      'x-amz-algorithm': 'AWS4-HMAC-SHA256',
      'x-amz-credential': [vault.accessKeyId, ...scope].join('/'),
      'x-amz-date': date,
    }
    const { key, ...others } = signed as Record<string, string>
    const document = {
      expiration: form.expiration ?? new Date(Date.now() + 3_600_000).toISOString(),
      conditions: [
        { bucket: vault.key },
        ['starts-with', '$key', (key ?? '').replace('${filename}', '')],
        ...Object.entries(others).map(([name, value]) => ({ [name]: value })),
        ...(form.conditions ?? []),
      ],
    }
    const policy = Buffer.from(JSON.stringify(document)).toString('base64')
    const first = `AWS4${form.secret ?? vault.secretKey}`
    const signature = hmac(scope.reduce<Buffer | string>(hmac, first) as Buffer, policy)
    const data = new FormData()
    for (const [name, value] of Object.entries(signed)) data.set(name, value)
    data.set('policy', policy)
    data.set('x-amz-signature', signature.toString('hex'))
    form.tamper?.(data)
    data.set('file', new Blob([file]), filename)
    const response = await fetch(`${service.url}/${vault.key}`, {
      method: 'POST',
      body: data,
      redirect: 'manual',
    })
    const text = await response.text()
    const code = /<Code>(\w+)/.exec(text)?.[1] ?? String(response.status)
    return { response, text, code }
  }

  const stored = async (Key: string) => {
    const object = await vault.client.getObject({ Bucket: vault.key, Key })
    return { ...object, text: await object.Body!.transformToString() }
  }

  test('the signature equals the example in AWS’s documentation', ({ assert }) => {
    const { secret, scope, policy, signature } = documented
    assert.equal(computeSignature(signingKey(secret, scope), policy), signature)
  })

  test('stores the file with the metadata that the form contains', async ({ assert }) => {
    const { response } = await post({
      fields: {
        key: 'in/${filename}',
        'Content-Type': 'text/plain',
        'Cache-Control': 'max-age=60',
        acl: 'private',
        'x-amz-meta-note': 'ধন্যবাদ',
      },
      filename: 'C:\\photos\\$& ü.txt',
    })
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('location'), `/${vault.key}/in/%24%26%20%C3%BC.txt`)
    const { text, ContentType, CacheControl, Metadata } = await stored('in/$& ü.txt')
    assert.deepEqual([text, ContentType, CacheControl], ['hello', 'text/plain', 'max-age=60'])
    assert.equal(Buffer.from(Metadata!.note, 'latin1').toString(), 'ধন্যবাদ')
  })

  test('responds with the status or redirect that the form requests', async ({ assert }) => {
    const created = await post({ fields: { key: 'b', success_action_status: '201' } })
    assert.equal(created.response.status, 201)
    assert.include(created.text, '<PostResponse')
    assert.include(created.text, '<Key>b</Key>')
    assert.equal(
      (await post({ fields: { key: 'b', success_action_status: '200' } })).response.status,
      200
    )
    const redirected = await post({
      fields: { key: 'b', success_action_redirect: 'https://shop.example/done?n=1' },
    })
    assert.equal(redirected.response.status, 303)
    const { searchParams } = new URL(redirected.response.headers.get('location')!)
    assert.equal(searchParams.get('n'), '1')
    assert.equal(searchParams.get('key'), 'b')
    const script = await post({
      fields: { key: 'b', success_action_redirect: 'javascript:alert(1)' },
    })
    assert.equal(script.response.status, 204)
  })

  const checksum = Buffer.from('wrong'.padEnd(32)).toString('base64')
  const rejected: [title: string, form: Form, code: string][] = [
    ['an expired policy', { expiration: '2020-01-01T00:00:00Z' }, 'AccessDenied'],
    ['another secret', { secret: 'wrong' }, 'SignatureDoesNotMatch'],
    ['a changed policy', { tamper: (form) => form.set('policy', 'e30=') }, 'SignatureDoesNotMatch'],
    ['no policy', { tamper: (form) => form.delete('policy') }, 'AccessDenied'],
    ['another key than signed', { tamper: (form) => form.set('key', 'out/x') }, 'AccessDenied'],
    ['a key with a space before', { tamper: (form) => form.set('key', ' in/a') }, 'AccessDenied'],
    ['a key that climbs', { fields: { key: 'in/../x' } }, 'InvalidArgument'],
    [
      'a field without a condition',
      { tamper: (form) => form.set('x-amz-meta-a', '1') },
      'AccessDenied',
    ],
    [
      'a field twice in other case',
      { tamper: (form) => form.append('KEY', 'in/x') },
      'InvalidArgument',
    ],
    ['no key', { fields: {} }, 'UserKeyMustBeSpecified'],
    [
      'a file that is too large',
      { conditions: [['content-length-range', 0, 4]] },
      'EntityTooLarge',
    ],
    [
      'a file that is too small',
      { conditions: [['content-length-range', 6, 9]] },
      'EntityTooSmall',
    ],
    ['an unknown condition', { conditions: [['ends-with', '$key', 'x']] }, 'InvalidPolicyDocument'],
    ['tags', { fields: { key: 'in/a', tagging: '<Tagging/>' } }, 'NotImplemented'],
    [
      'a line break in metadata',
      { fields: { key: 'in/a', 'x-amz-meta-a': 'a\r\nb' } },
      'InvalidArgument',
    ],
    [
      'a wrong checksum',
      { fields: { key: 'in/a', 'x-amz-checksum-sha256': checksum } },
      'BadDigest',
    ],
    [
      'signature version 2',
      { tamper: (form) => form.set('AWSAccessKeyId', 'x') },
      'InvalidRequest',
    ],
  ]
  test('rejects a form with {0}')
    .with(rejected)
    .run(async ({ assert }, [, form, code]) => {
      assert.equal((await post(form)).code, code)
      const { KeyCount } = await vault.client.listObjectsV2({ Bucket: vault.key })
      assert.equal(KeyCount, 0)
    })

  test('a read-only key cannot send a form', async ({ assert }) => {
    const { accessKeyId, secret } = await service.control.call('makeKey', {
      id: vault.id,
      name: 'reader',
      readOnly: true,
    })
    vault = { ...vault, accessKeyId, secretKey: secret }
    assert.equal((await post()).code, 'AccessDenied')
  })

  test('a client that sends a rejected large form still gets the response', async ({ assert }) => {
    const { code } = await post({ secret: 'wrong', file: 'x'.repeat(8 * 1024 ** 2) })
    assert.equal(code, 'SignatureDoesNotMatch')
  })
})
