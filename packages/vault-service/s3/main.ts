import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { vaultErrors } from '../errors.js'
import { sendContinue } from '../http/json_response.js'
import type { ByteRange } from '../http/ranges.js'
import type { CorsRule, UsageMeter, ObjectStore, StoredObject, Vault } from '../types.js'
import { parseS3Address, type S3Address } from './address.js'
import { sendS3Response, sendS3Error } from './response.js'
import { assertVaultAllows } from './assert_vault_allows.js'
import { authenticate } from './authenticate.js'
import { RequestBody } from './body.js'
import { utf8AsLatin1, requestHeaders, type S3Call } from './call.js'
import { S3Error } from './errors.js'
import { assertExpectedOwner } from './object_headers.js'
import { hasControlCharacters } from './object_names.js'
import { isPostObjectRequest, postObject } from './post_object.js'
import { matchS3Operation, type S3Operation } from './routes.js'

export interface S3Deps {
  store: ObjectStore
  meter: UsageMeter
  log?(entry: object): void
}

export interface S3Exchange extends S3Deps {
  /** ID of the request. Each response contains it. If the service causes an error, the log contains it too. */
  id: string
  request: IncomingMessage
  response: ServerResponse
  /** Vault whose usage includes this request. Undefined until the signature is verified. */
  vault?: Vault
  /** CORS rules for the response. Default: those of the vault. */
  corsRules?: CorsRule[]
  /** Body whose received bytes count as usage. */
  body?: Pick<RequestBody, 'taken'>
}

/**
 * Returns whether a request uses the S3 protocol: it has an S3 signature in its headers or query, or is a form upload
 * to a vault's address. CORS preflight requests (OPTIONS) never have a signature.
 */
export function isS3Request(request: IncomingMessage): boolean {
  const { method, headers, url = '' } = request
  if (method === 'OPTIONS') return false
  if (isPostObjectRequest(request)) return true
  if (/^AWS(4-|\s)/.test(headers.authorization ?? '')) return true
  return /[?&](x-amz-(algorithm|signature)|awsaccesskeyid)=/i.test(url)
}

/** Handles an S3 request. Never rejects: after an error, it sends an error response or closes the connection. */
export async function handleS3(
  deps: S3Deps,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  const exchange: S3Exchange = { ...deps, request, response, id: randomBytes(8).toString('hex') }
  try {
    if (isPostObjectRequest(request)) {
      await sendS3Response(exchange, await postObject(exchange))
      return
    }
    const [operation, call] = await open(exchange)
    await sendS3Response(exchange, await operation.run(call))
  } catch (error) {
    exchange.corsRules = await findCorsRules(exchange).catch(() => [])
    await sendS3Error(exchange, error)
  }
}

/**
 * Finds the vault's CORS rules even if the signature is invalid, so that a web page can read the error, for example for
 * an expired presigned URL.
 */
async function findCorsRules({ vault, store, request }: S3Exchange): Promise<CorsRule[]> {
  if (vault || !request.headers.origin) return vault?.cors ?? []
  const addressed = await store.vaultByKey(parseS3Address(request.url ?? '/').bucket)
  return addressed?.cors ?? []
}

async function open(exchange: S3Exchange): Promise<[S3Operation, S3Call]> {
  const { store, request } = exchange
  const method = request.method ?? 'GET'
  const headers = requestHeaders(request)
  const address = parseS3Address(request.url ?? '/')
  const proof = await authenticate(store, { method, address, headers })
  const vault = await store.vaultById(proof.key.vaultId)
  if (!vault || vault.state === 'deleted') throw vaultErrors.noVault()
  exchange.vault = vault
  if (proof.claim.expires !== undefined) hoist(address, headers)
  const operation = matchS3Operation(method, address, headers)
  assertVaultAllows(operation, vault, proof.key, address)
  assertExpectedOwner(headers, vault)
  const header = (name: string) => headers.get(name)
  const ofBody = operation.checksumOfObject
    ? (name: string) => (name.startsWith('x-amz-checksum-') ? undefined : headers.get(name))
    : header
  const body = new RequestBody(request, ofBody, proof, () =>
    sendContinue(request, exchange.response)
  )
  exchange.body = body
  const { name, rawPath: path } = address
  const query = new Map(address.query)
  return [
    operation,
    {
      store,
      vault,
      key: proof.key,
      method,
      path,
      name,
      query,
      header,
      headers,
      body,
      readWhileConnected: (object, range) => readWhileConnected(exchange, object, range),
    },
  ]
}

function readWhileConnected(
  { store, response }: S3Exchange,
  object: StoredObject,
  range?: ByteRange
): AsyncIterable<Buffer> {
  const source = store.read(object, range)
  const end = () => source.destroy(vaultErrors.cutShort('The client closed the connection.'))
  // Without this listener, an error of a stream that is no longer read would end the process.
  source.on('error', () => {})
  if (response.destroyed) end()
  response.once('close', end)
  source.once('close', () => response.off('close', end))
  return source as AsyncIterable<Buffer>
}

/**
 * Copies the `x-amz-` query parameters of a presigned URL to the headers. Headers that the client sent stay unchanged.
 */
function hoist({ query }: S3Address, headers: Map<string, string>): void {
  for (const [name, value] of query) {
    const lower = name.toLowerCase()
    if (!lower.startsWith('x-amz-') || headers.has(lower)) continue
    // Ignores the checksum of an empty body. The AWS SDK for JavaScript signs it in presigned URLs, because it does not
    // know the real body yet.
    if (lower === 'x-amz-checksum-crc32' && value === 'AAAAAA==') continue
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(lower) || hasControlCharacters(value)) {
      throw new S3Error('InvalidArgument', `${name} cannot be a header.`)
    }
    headers.set(lower, utf8AsLatin1(value))
  }
}
