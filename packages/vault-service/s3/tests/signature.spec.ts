import { test } from '@japa/runner'
import type { AccessKey } from '../../types.js'
import { parseS3Address } from '../address.js'
import { authenticate } from '../authenticate.js'
import { S3Error } from '../errors.js'
import { ChunkSignatureVerifier, EMPTY_SHA256, signingKey } from '../signature.js'

// Keys, requests and signatures in the AWS documentation of Signature Version 4 for S3.
const id = 'AKIAIOSFODNN7EXAMPLE'
const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const scope = '20130524/us-east-1/s3/aws4_request'
const at = Date.parse('2013-05-24T00:00:00Z')
const host = 'examplebucket.s3.amazonaws.com'
const bodyOfPut = '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072'

const store = {
  async accessKey(accessKeyId: string): Promise<AccessKey | undefined> {
    return accessKeyId === id ? { vaultId: 1, accessKeyId, secret, readOnly: false } : undefined
  },
}

interface Example {
  method?: string
  target: string
  headers: Record<string, string>
  signature: string
}

const examples: Record<string, Example> = {
  'GET Object': {
    target: '/test.txt',
    headers: { range: 'bytes=0-9' },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  'PUT Object': {
    method: 'PUT',
    target: '/test%24file.text',
    headers: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      'x-amz-content-sha256': bodyOfPut,
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  'GET Bucket Lifecycle': {
    target: '/?lifecycle',
    headers: {},
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  'Get Bucket (List Objects)': {
    target: '/?max-keys=2&prefix=J',
    headers: {},
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
}

function asked({ method = 'GET', target, headers, signature }: Example) {
  const all = new Map(
    Object.entries({
      host,
      'x-amz-content-sha256': EMPTY_SHA256,
      'x-amz-date': '20130524T000000Z',
      ...headers,
    })
  )
  const signed = [...all.keys()].toSorted().join(';')
  all.set(
    'authorization',
    `AWS4-HMAC-SHA256 Credential=${id}/${scope},SignedHeaders=${signed},Signature=${signature}`
  )
  return { method, address: parseS3Address(target), headers: all }
}

async function refusal(work: Promise<unknown>): Promise<S3Error> {
  return work.then(
    () => {
      throw new Error('It was not refused')
    },
    (error: unknown) => {
      if (error instanceof S3Error) return error
      throw error
    }
  )
}

test.group('S3 signatures', () => {
  for (const [name, example] of Object.entries(examples)) {
    test(`AWS’s example is valid: ${name}`, async ({ assert }) => {
      const proof = await authenticate(store, asked(example), at)
      assert.equal(proof.key.accessKeyId, id)
    })
  }

  const presigned =
    `/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${encodeURIComponent(`${id}/${scope}`)}` +
    '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
    '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404'
  const link = (target = presigned, method = 'GET') => ({
    method,
    address: parseS3Address(target),
    headers: new Map([['host', host]]),
  })

  test('AWS’s example: a presigned URL is valid until it expires', async ({ assert }) => {
    await authenticate(store, link(), at)
    await authenticate(store, link(), at + 86_400_000)
    const ended = await refusal(authenticate(store, link(), at + 86_400_001))
    assert.equal(ended.code, 'AccessDenied')
    assert.match(ended.message, /expired/)
  })

  test('a presigned URL is valid for at most 7 days', async ({ assert }) => {
    const longer = presigned.replace('86400', '604801')
    const error = await refusal(authenticate(store, link(longer), at))
    assert.equal(error.code, 'AuthorizationQueryParametersError')
  })

  test('AWS’s example: the signature of each chunk covers that of the previous chunk', async ({
    assert,
  }) => {
    const proof = await authenticate(
      store,
      asked({
        method: 'PUT',
        target: '/examplebucket/chunkObject.txt',
        headers: {
          host: 's3.amazonaws.com',
          'content-encoding': 'aws-chunked',
          'content-length': '66824',
          'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
          'x-amz-decoded-content-length': '66560',
          'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        },
        signature: '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9',
      }),
      at
    )
    assert.deepEqual(proof.signingKey, signingKey(secret, scope))
  })

  test('rejects a request after any change, and names the changed part if possible', async ({
    assert,
  }) => {
    const good = asked(examples['PUT Object'])
    const changed = {
      path: { ...good, address: parseS3Address('/test%24file.texT') },
      query: { ...good, address: parseS3Address('/test%24file.text?acl') },
      header: { ...good, headers: new Map(good.headers).set('date', 'Fri, 24 May 2013 00:00:01') },
      payload: {
        ...good,
        headers: new Map(good.headers).set('x-amz-content-sha256', EMPTY_SHA256),
      },
    }
    for (const [part, request] of Object.entries(changed)) {
      const error = await refusal(authenticate(store, request, at))
      assert.equal(error.code, 'SignatureDoesNotMatch', part)
      assert.notInclude(JSON.stringify(error.fields), secret)
      assert.property(error.fields, 'CanonicalRequest')
    }
    const method = await refusal(authenticate(store, { ...good, method: 'DELETE' }, at))
    assert.match(method.message, /method: PUT was signed, DELETE was sent/)
    const withPort = new Map(good.headers).set('host', `${host}:8080`)
    const port = await refusal(authenticate(store, { ...good, headers: withPort }, at))
    assert.match(port.message, /without a port/)
  })

  test('a header that S3 interprets must be signed', async ({ assert }) => {
    const request = asked(examples['PUT Object'])
    request.headers.set('x-amz-meta-added', 'between')
    const error = await refusal(authenticate(store, request, at))
    assert.equal(error.code, 'AccessDenied')
    assert.equal(error.fields.HeadersNotSigned, 'x-amz-meta-added')
  })

  test('the client’s clock may differ by 15 minutes', async ({ assert }) => {
    const request = asked(examples['GET Object'])
    for (const off of [-900_000, 900_000]) await authenticate(store, request, at + off)
    for (const off of [-900_001, 900_001]) {
      const error = await refusal(authenticate(store, request, at + off))
      assert.equal(error.code, 'RequestTimeTooSkewed')
    }
  })

  test('an unknown key and a signature of another version are rejected with a message', async ({
    assert,
  }) => {
    const good = asked(examples['GET Object'])
    const authorized = (authorization: string) => ({
      ...good,
      headers: new Map(good.headers).set('authorization', authorization),
    })
    const own = good.headers.get('authorization')!
    const cases: [string, string][] = [
      [own.replace(id, '12345'), 'InvalidAccessKeyId'],
      [`AWS ${id}:signature`, 'InvalidRequest'],
      [own.replace('/s3/', '/ec2/'), 'AuthorizationHeaderMalformed'],
      [own.replace('20130524/', '20130525/'), 'AuthorizationHeaderMalformed'],
      [own.replace('host;', ''), 'AuthorizationHeaderMalformed'],
      [own.replace('AWS4-HMAC-SHA256', 'AWS4-ECDSA-P256-SHA256'), 'AuthorizationHeaderMalformed'],
      ['AWS4-HMAC-SHA256', 'AuthorizationHeaderMalformed'],
      [own.replace(/Signature=.*/, ''), 'AuthorizationHeaderMalformed'],
    ]
    for (const [authorization, code] of cases) {
      assert.equal((await refusal(authenticate(store, authorized(authorization), at))).code, code)
    }
  })

  test('the encoding of a path may differ between the request and the signature', async () => {
    const { secret: key } = (await store.accessKey(id))!
    const { canonicalRequest, computeSignature, stringToSign } = await import('../signature.js')
    const headers: [string, string][] = [['host', host]]
    for (const [sent, path] of [
      ['/a@b:c+d=e', '/a%40b%3Ac%2Bd%3De'],
      ['/a%40b%3Ac%2Bd%3De', '/a%40b%3Ac%2Bd%3De'],
      ['/%7Ea%c3%bc', '/~a%C3%BC'],
    ]) {
      const query: [string, string][] = [
        ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
        ['X-Amz-Credential', `${id}/${scope}`],
        ['X-Amz-Date', '20130524T000000Z'],
        ['X-Amz-Expires', '60'],
        ['X-Amz-SignedHeaders', 'host'],
      ]
      const signed = { method: 'GET', path, query, headers, payload: 'UNSIGNED-PAYLOAD' }
      const text = stringToSign('20130524T000000Z', scope, canonicalRequest(signed))
      const signature = computeSignature(signingKey(key, scope), text)
      const search = [...query, ['X-Amz-Signature', signature]]
        .map((pair) => pair.map(encodeURIComponent).join('='))
        .join('&')
      await authenticate(store, link(`${sent}?${search}`), at)
    }
  })
})

test.group('S3 signatures of chunks', () => {
  const chunk = async (fill: number) => {
    const { createHash } = await import('node:crypto')
    return createHash('sha256').update(Buffer.alloc(fill, 'a')).digest('hex')
  }

  test('AWS’s example: chunks of 64 KB, 1 KB and 0 bytes are valid', async ({ assert }) => {
    const seed = '4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9'
    const signer = new ChunkSignatureVerifier(
      signingKey(secret, scope),
      '20130524T000000Z',
      scope,
      seed
    )
    const signatures: [number, string][] = [
      [65_536, 'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648'],
      [1_024, '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497'],
      [0, 'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9'],
    ]
    for (const [size, signature] of signatures) {
      assert.isTrue(signer.isChunk(await chunk(size), signature), `${size}`)
    }
  })

  test('AWS’s example: the same chunks with a trailer are valid', async ({ assert }) => {
    const { createHash } = await import('node:crypto')
    const seed = '106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e'
    const signer = new ChunkSignatureVerifier(
      signingKey(secret, scope),
      '20130524T000000Z',
      scope,
      seed
    )
    const signatures: [number, string][] = [
      [65_536, 'b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2'],
      [1_024, '1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7'],
      [0, '2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992'],
    ]
    for (const [size, signature] of signatures) {
      assert.isTrue(signer.isChunk(await chunk(size), signature), `${size}`)
    }
    const trailer = createHash('sha256').update('x-amz-checksum-crc32c:sOO8/Q==\n').digest('hex')
    assert.isTrue(
      signer.isTrailer(trailer, 'd81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435')
    )
  })
})
