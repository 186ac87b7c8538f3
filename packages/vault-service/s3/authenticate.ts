import type { AccessKey, ObjectStore } from '../types.js'
import type { S3Address } from './address.js'
import {
  parseSignatureClaim,
  parseSignatureTime,
  type SignatureClaim,
  type HeaderLookup,
} from './signature_claim.js'
import { S3Error } from './errors.js'
import {
  canonicalRequest,
  EMPTY_SHA256,
  uriEncode,
  uriEncodePath,
  equalsInConstantTime,
  computeSignature,
  signingKey,
  stringToSign,
  type SignableRequest,
} from './signature.js'

/** Maximum difference between the clocks of the client and of this machine, as in S3 ("RequestTimeTooSkewed"). */
const MAX_CLOCK_SKEW_MS = 15 * 60_000

export interface VerifiedSignature {
  key: AccessKey
  claim: SignatureClaim
  /** Signing key for the request's day and region. It also signs the chunks of the body. */
  signingKey: Buffer
}

export interface S3Request {
  method: string
  address: S3Address
  /** Values of each header, joined by commas, with one character per byte. Names are in lower case. */
  headers: Map<string, string>
}

/**
 * Verifies the signature of a request.
 * @throws S3Error that names the mistake, but reveals nothing about the secret
 */
export async function authenticate(
  store: Pick<ObjectStore, 'accessKey'>,
  request: S3Request,
  now = Date.now()
): Promise<VerifiedSignature> {
  const header: HeaderLookup = (name) => request.headers.get(name)
  const claim = parseSignatureClaim(request.address, header)
  assertTime(claim, now)
  assertHeadersSigned(request.headers, claim)
  const key = await getAccessKey(store, claim.accessKeyId)
  const proof = { key, claim, signingKey: signingKey(key.secret, claim.scope) }
  assertSigned(proof, request)
  return proof
}

/** @throws S3Error InvalidAccessKeyId */
export async function getAccessKey(
  store: Pick<ObjectStore, 'accessKey'>,
  accessKeyId: string
): Promise<AccessKey> {
  const isId = /^[\w-]{1,128}$/.test(accessKeyId)
  const key = isId ? await store.accessKey(accessKeyId) : undefined
  // Accepts only access keys. The vault's own secret has no access key ID and cannot be used with S3.
  if (key?.accessKeyId) return key
  throw new S3Error(
    'InvalidAccessKeyId',
    'The access key id you provided does not exist in our records, or it has expired. Create an access key in the vault, under Credentials.',
    { AWSAccessKeyId: accessKeyId }
  )
}

function assertTime({ timestamp, expires }: SignatureClaim, now: number): void {
  const time = parseSignatureTime(timestamp)
  const fields = {
    RequestTime: timestamp,
    ServerTime: new Date(now).toISOString(),
    MaxAllowedSkewMilliseconds: String(MAX_CLOCK_SKEW_MS),
  }
  if (
    !(time - now <= MAX_CLOCK_SKEW_MS) ||
    (expires === undefined && now - time > MAX_CLOCK_SKEW_MS)
  ) {
    throw new S3Error(
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is more than 15 minutes. Correct your clock and try again.',
      fields
    )
  }
  if (expires !== undefined && now > time + expires * 1_000) {
    throw new S3Error('AccessDenied', 'Request has expired. This link no longer works.', {
      ...fields,
      'X-Amz-Expires': String(expires),
    })
  }
}

/** Checks that the client signed every `x-amz-` header, so that nobody between client and server can add one. */
function assertHeadersSigned(headers: Map<string, string>, claim: SignatureClaim): void {
  const missing = claim.signedHeaders.filter((name) => !headers.has(name))
  if (missing.length) {
    throw new S3Error('AccessDenied', `Signed headers are missing: ${missing.join(', ')}.`)
  }
  const loose = [...headers.keys()].filter(
    (name) => name.startsWith('x-amz-') && !claim.signedHeaders.includes(name)
  )
  if (loose.length) {
    throw new S3Error('AccessDenied', `These headers are not signed: ${loose.join(', ')}.`, {
      HeadersNotSigned: loose.join(', '),
    })
  }
}

function assertSigned(proof: VerifiedSignature, request: S3Request): void {
  const { claim } = proof
  const { address } = request
  const sent: SignableRequest = {
    method: request.method,
    path: address.rawPath,
    query: address.query.filter(([name]) => name.toLowerCase() !== 'x-amz-signature'),
    headers: claim.signedHeaders.map((name) => [name, request.headers.get(name)!]),
    payload: claim.payload,
  }
  // Some clients send `@` or `:` in the path without encoding, but encode them in the text that they sign.
  const encoded = { ...sent, path: uriEncodePath(address.path) }
  if (isSignatureOf(sent, proof) || isSignatureOf(encoded, proof)) return
  const differing = guesses(sent, request).find(([, guess]) => isSignatureOf(guess, proof))
  const canonical = canonicalRequest(encoded)
  throw new S3Error(
    'SignatureDoesNotMatch',
    differing
      ? `The signature is correct except for ${differing[0]}.`
      : 'The request signature we calculated does not match the signature you provided. Check your secret key, and compare the text below with the text that you signed.',
    {
      AWSAccessKeyId: claim.accessKeyId,
      StringToSign: stringToSign(claim.timestamp, claim.scope, canonical),
      SignatureProvided: claim.signature,
      CanonicalRequest: canonical,
    }
  )
}

function isSignatureOf(
  signed: SignableRequest,
  { claim, signingKey: key }: VerifiedSignature
): boolean {
  const text = stringToSign(claim.timestamp, claim.scope, canonicalRequest(signed))
  return equalsInConstantTime(computeSignature(key, text), claim.signature)
}

/**
 * Returns the requests that clients would have signed if they made common mistakes, or if a proxy changed the request.
 * So the error message can name the mistake. The request is rejected in any case.
 */
function guesses(
  sent: SignableRequest,
  { address, headers }: S3Request
): [part: string, SignableRequest][] {
  const withHost = (host: string): SignableRequest => ({
    ...sent,
    headers: sent.headers.map(([name, value]) => [name, name === 'host' ? host : value]),
  })
  const host = headers.get('host') ?? ''
  const forwarded = headers.get('x-forwarded-host')
  const twice = address.path.split('/').map((part) => uriEncode(uriEncode(part)))
  return [
    ...['GET', 'HEAD', 'PUT', 'POST', 'DELETE'].map((method): [string, SignableRequest] => [
      `the method: ${method} was signed, ${sent.method} was sent`,
      { ...sent, method },
    ]),
    ['the path: it was encoded twice', { ...sent, path: twice.join('/') }],
    [`the host: it was signed without a port`, withHost(host.replace(/:\d+$/, ''))],
    ...(forwarded
      ? [[`the host: ${forwarded} was signed`, withHost(forwarded)] as [string, SignableRequest]]
      : []),
    ['x-amz-content-sha256: it was signed as that of no body', { ...sent, payload: EMPTY_SHA256 }],
    [
      'x-amz-content-sha256: it was signed as UNSIGNED-PAYLOAD',
      { ...sent, payload: 'UNSIGNED-PAYLOAD' },
    ],
  ]
}
