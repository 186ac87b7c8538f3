import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { vaultErrors } from '../errors.js'
import { sendContinue } from '../http/json_response.js'
import type { UsageMeter, ObjectStore, Vault } from '../types.js'
import { parseS3Address, type S3Address } from './address.js'
import { sendS3Response, sendS3Error } from './response.js'
import { authenticate, type VerifiedSignature } from './authenticate.js'
import { Body } from './body.js'
import { utf8AsLatin1, requestHeaders, otherVaultError, type S3Call } from './call.js'
import { S3Error } from './errors.js'
import { assertExpectedOwner } from './object_headers.js'
import { hasControlCharacters, objectNameError } from './object_names.js'
import { matchS3Operation, type S3Operation } from './routes.js'

export interface S3Deps {
  store: ObjectStore
  meter: UsageMeter
  log?(entry: object): void
}

export interface S3Exchange extends S3Deps {
  /** Sent in each response, for support. */
  id: string
  request: IncomingMessage
  response: ServerResponse
  /** Usage is counted for this vault. Undefined until the signature is verified. */
  vault?: Vault
  body?: Body
}

/** S3 requests are signed. CORS preflight requests (OPTIONS) never are. */
export function isS3Request({ method, headers, url = '' }: IncomingMessage): boolean {
  if (method === 'OPTIONS') return false
  if (/^AWS(4-|\s)/.test(headers.authorization ?? '')) return true
  return /[?&](x-amz-(algorithm|signature)|awsaccesskeyid)=/i.test(url)
}

/** Never rejects: errors become a response or close the connection. */
export async function handleS3(
  deps: S3Deps,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  const exchange: S3Exchange = { ...deps, request, response, id: randomBytes(8).toString('hex') }
  try {
    const [operation, call] = await open(exchange)
    await sendS3Response(exchange, await operation.run(call))
  } catch (error) {
    await sendS3Error(exchange, error)
  }
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
  assertAllowed(operation, vault, proof, address)
  assertExpectedOwner(headers, vault)
  const header = (name: string) => headers.get(name)
  const ofBody = operation.checksumOfObject
    ? (name: string) => (name.startsWith('x-amz-checksum-') ? undefined : headers.get(name))
    : header
  const body = new Body(request, ofBody, proof, () => sendContinue(request, exchange.response))
  exchange.body = body
  const { name, rawPath: path } = address
  const query = new Map(address.query)
  return [
    operation,
    { store, vault, key: proof.key, method, path, name, query, header, headers, body },
  ]
}

/**
 * Copies header parameters from the query of a presigned URL to the headers, as if the client had sent them.
 */
function hoist({ query }: S3Address, headers: Map<string, string>): void {
  for (const [name, value] of query) {
    const lower = name.toLowerCase()
    if (!lower.startsWith('x-amz-') || headers.has(lower)) continue
    // The AWS SDK for JavaScript signs the checksum of an empty body here, because it does not know the later
    // one.
    if (lower === 'x-amz-checksum-crc32' && value === 'AAAAAA==') continue
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(lower) || hasControlCharacters(value)) {
      throw new S3Error('InvalidArgument', `${name} cannot be a header.`)
    }
    headers.set(lower, utf8AsLatin1(value))
  }
}

function assertAllowed(
  operation: S3Operation,
  vault: Vault,
  { key }: VerifiedSignature,
  address: S3Address
): void {
  if (address.bucket && address.bucket !== vault.key) throw otherVaultError()
  if (vault.state === 'suspended') throw vaultErrors.suspended()
  if (operation.changes && key.readOnly) throw vaultErrors.readOnlyKey()
  if (operation.changes && vault.state === 'read_only') throw vaultErrors.readOnly()
  if (operation.changes !== 'removes' && vault.limitReached) throw vaultErrors.limitReached()
  if (!address.name) return
  const fault = objectNameError(address.name)
  if (fault) throw fault
  const version = address.query.find(([name]) => name === 'versionId')?.[1]
  if (version && version !== 'null') {
    throw new S3Error('NoSuchVersion', 'Versions of objects are not supported.')
  }
}
