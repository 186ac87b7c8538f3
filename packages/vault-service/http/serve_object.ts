import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { vaultErrors } from '../errors.js'
import type { UsageMeter, ObjectStore, Vault } from '../types.js'
import { sendError } from './json_response.js'
import { chooseCoding, type ContentCoding } from './compression.js'
import { checkPreconditions, ifRangeMatches } from './preconditions.js'
import { anyOriginRules, corsHeaders, preflightHeaders } from './cors.js'
import type { ObjectCache } from './object_cache.js'
import { checkLink, hasLinkSignature } from './signed_links.js'
import type { ObjectAddress } from './object_names.js'
import { serveRequestFromMemory } from './serve_from_memory.js'
import { rangeNotSatisfiableError, parseRange, type ByteRange } from './ranges.js'
import { mergeHeaders, type ObjectRepresentation } from './object_representation.js'

export interface ServeObjectDeps {
  store: Pick<ObjectStore, 'vaultByKey' | 'read'>
  meter: UsageMeter
  hot: ObjectCache
}

interface Access {
  /** Whether the request has a valid signed link, so that shared caches must not store the response. */
  isLink: boolean
  download: boolean
}

/** Handles GET, HEAD and OPTIONS of an object. Sends a response for a VaultError, and throws all other errors. */
export async function serveObject(
  deps: ServeObjectDeps,
  request: IncomingMessage,
  response: ServerResponse,
  address: ObjectAddress
): Promise<void> {
  // CORS headers of the response. Added once the vault and its CORS rules are known.
  const cors: Record<string, string> = {}
  try {
    if (request.method === 'OPTIONS') return await answerPreflight(deps, request, response, address)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      cors.Allow = 'GET, HEAD, OPTIONS, PUT'
      throw vaultErrors.method()
    }
    const cached = deps.hot.get(address.key, address.name)
    if (cached && serveRequestFromMemory(deps.meter, request, response, cached, address)) return
    await serve(deps, request, response, address, cached, cors)
  } catch (error) {
    sendError(response, error, cors)
  }
}

async function serve(
  deps: ServeObjectDeps,
  request: IncomingMessage,
  response: ServerResponse,
  address: ObjectAddress,
  cached: ObjectRepresentation | undefined,
  cors: Record<string, string>
): Promise<void> {
  const vault = cached?.vault ?? (await deps.store.vaultByKey(address.key))
  if (!vault) throw vaultErrors.noObject()
  Object.assign(cors, corsOf(vault, request, address))
  let access = admit(vault, address)
  const representation = cached ?? (await deps.hot.load(vault, address.name))
  if (!representation) {
    deps.meter.count(vault, 0, 0)
    throw vaultErrors.noObject()
  }
  // Checks access again, because the vault that was loaded with the object may be newer.
  if (representation.vault !== vault) access = admit(representation.vault, address)
  await send(deps, request, response, representation, access, cors)
}

/**
 * @throws VaultError if the vault is deleted, suspended or over its limit, if the signed link is not valid, or if a
 *   request to a private vault has no link
 */
function admit(vault: Vault, { name, query }: ObjectAddress): Access {
  if (vault.state === 'deleted') throw vaultErrors.noObject()
  if (vault.state === 'suspended') throw vaultErrors.suspended()
  if (vault.limitReached) throw vaultErrors.limitReached()
  if (!vault.isPrivate && !hasLinkSignature(query)) return { isLink: false, download: false }
  return { isLink: true, ...checkLink(vault, { method: 'GET', name, query }) }
}

function corsOf(
  vault: Vault,
  request: IncomingMessage,
  { query }: ObjectAddress
): Record<string, string> {
  const rules = hasLinkSignature(query) ? anyOriginRules : vault.cors
  return corsHeaders(rules, request.headers.origin, request.method!)
}

async function answerPreflight(
  { store, meter }: ServeObjectDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { key, query }: ObjectAddress
): Promise<void> {
  const vault = await store.vaultByKey(key)
  if (!vault) throw vaultErrors.noObject()
  const { origin } = request.headers
  const method = request.headers['access-control-request-method']
  if (!origin || !method) throw vaultErrors.badRequest()
  const rules = hasLinkSignature(query) ? anyOriginRules : vault.cors
  const requestedHeaders = request.headers['access-control-request-headers']
  const headers = preflightHeaders(rules, origin, method, requestedHeaders)
  if (!headers)
    throw vaultErrors.notAllowed('The CORS rules of this vault do not allow this page to do this.')
  meter.count(vault, 0, 0)
  response.writeHead(204, headers).end()
}

async function send(
  deps: ServeObjectDeps,
  request: IncomingMessage,
  response: ServerResponse,
  representation: ObjectRepresentation,
  { isLink, download }: Access,
  cors: Record<string, string>
): Promise<void> {
  const { headers } = request
  const { vault, object } = representation
  // Ranges always refer to the uncompressed bytes, because a client could not join parts from different compressed
  // versions.
  const wanted = headers.range === undefined ? chooseCoding(headers['accept-encoding']) : 'identity'
  const coding = await representation.prepare(wanted)

  const { modifiedAt } = object
  const judged = checkPreconditions(headers, {
    etag: representation.etag(coding),
    etags: representation.etags,
    modifiedAt,
  })
  if (judged.outcome !== 'go') deps.meter.count(vault, 0, 0)
  if (judged.outcome === 'failed') throw vaultErrors.condition()
  if (judged.outcome === 'unchanged') {
    const validators = { ...representation.validators(coding, isLink), ETag: judged.etag }
    response.writeHead(304, mergeHeaders(validators, cors)).end()
    return
  }

  const whole = mergeHeaders(representation.headers(coding, isLink, download), cors)
  const range = rangeOf(request, representation)
  if (range === 'none') {
    deps.meter.count(vault, 0, 0)
    throw rangeNotSatisfiableError(object.size)
  }
  if (range === 'all') {
    const length = representation.bodyIn(coding)?.length ?? object.size
    const head = { ...whole, 'Content-Length': String(length) }
    return sendBody(deps, request, response, { representation, coding, length, status: 200, head })
  }
  const { start, end } = range
  const length = end - start + 1
  const head = {
    ...whole,
    'Content-Length': String(length),
    'Content-Range': `bytes ${start}-${end}/${object.size}`,
  }
  return sendBody(deps, request, response, {
    representation,
    coding,
    length,
    status: 206,
    head,
    range,
  })
}

function rangeOf(
  { method, headers }: IncomingMessage,
  representation: ObjectRepresentation
): ByteRange | 'all' | 'none' {
  if (method !== 'GET' || headers.range === undefined) return 'all'
  const { modifiedAt, size } = representation.object
  if (!ifRangeMatches(headers['if-range'] as string | undefined, representation.etag(), modifiedAt))
    return 'all'
  return parseRange(headers.range, size)
}

interface Answer {
  representation: ObjectRepresentation
  coding: ContentCoding
  length: number
  status: 200 | 206
  head: Record<string, string>
  range?: ByteRange
}

async function sendBody(
  { meter, store }: ServeObjectDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { representation, coding, length, status, head, range }: Answer
): Promise<void> {
  const { vault, object } = representation
  if (request.method === 'HEAD') {
    meter.count(vault, 0, 0)
    response.writeHead(status, head).end()
    return
  }
  const body = representation.bodyIn(coding)
  if (body) {
    meter.count(vault, 0, length)
    response.writeHead(status, head)
    response.end(range ? body.subarray(range.start, range.end + 1) : body)
    return
  }

  if (response.destroyed) return
  const source = store.read(object, range)
  response.once('close', () => source.destroy(new Error('The client closed the connection')))
  let sent = 0
  try {
    // Reads the first bytes before it sends the status, because an object that cannot be read must get an error status.
    await once(source, 'readable')
    meter.count(vault, 0, length)
    response.writeHead(status, head)
    source.on('data', (chunk: Buffer) => (sent += chunk.length))
    await pipeline(source, response)
  } catch (error) {
    if (response.headersSent) meter.correct(vault, sent - length)
    if (!isGone(response)) throw error
  }
}

/** Returns whether the client has disconnected. That is not an error. */
function isGone({ req }: ServerResponse): boolean {
  return req.socket.destroyed && !req.socket.errored
}
