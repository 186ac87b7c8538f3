import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { vaultErrors } from '../errors.js'
import type { Meter, Store, Vault } from '../types.js'
import { sendError } from './answer.js'
import { chooseCoding, type Coding } from './compression.js'
import { checkPreconditions, isRangeValid } from './conditions.js'
import { anyOrigin, corsHeaders, preflight } from './cors.js'
import type { Hot } from './hot.js'
import { checkLink, hasSignature } from './links.js'
import type { Address } from './names.js'
import { writePrepared } from './prepared.js'
import { outOfRange, parseRange, type Range } from './ranges.js'
import { merged, type Representation } from './representation.js'

export interface CdnDeps {
  store: Pick<Store, 'vaultByKey' | 'read'>
  meter: Meter
  hot: Hot
}

interface Access {
  /** Everything is signed, so everybody may read the answer. */
  isLink: boolean
  download: boolean
}

/** Answers GET, HEAD and OPTIONS of an object, all of its refusals included. Anything else is thrown. */
export async function serveObject(
  deps: CdnDeps,
  request: IncomingMessage,
  response: ServerResponse,
  address: Address
): Promise<void> {
  // What a refusal is sent with: who may read it, known once the vault is.
  const cors: Record<string, string> = {}
  try {
    if (request.method === 'OPTIONS') return await answerPreflight(deps, request, response, address)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      cors.Allow = 'GET, HEAD, OPTIONS, PUT'
      throw vaultErrors.method()
    }
    const found = deps.hot.get(address.key, address.name)
    if (found && writePrepared(deps.meter, request, response, found, address)) return
    await serve(deps, request, response, address, found, cors)
  } catch (error) {
    sendError(response, error, cors)
  }
}

async function serve(
  deps: CdnDeps,
  request: IncomingMessage,
  response: ServerResponse,
  address: Address,
  kept: Representation | undefined,
  cors: Record<string, string>
): Promise<void> {
  const vault = kept?.vault ?? (await deps.store.vaultByKey(address.key))
  if (!vault) throw vaultErrors.noObject()
  Object.assign(cors, corsOf(vault, request, address))
  let access = admit(vault, address)
  const found = kept ?? (await deps.hot.load(vault, address.name))
  if (!found) {
    deps.meter.count(vault, 0, 0)
    throw vaultErrors.noObject()
  }
  // The vault may have changed since it was read.
  if (found.vault !== vault) access = admit(found.vault, address)
  await send(deps, request, response, found, access, cors)
}

/** Whether this vault is read from at all, and by this address. */
function admit(vault: Vault, { name, query }: Address): Access {
  if (vault.state === 'deleted') throw vaultErrors.noObject()
  if (vault.state === 'suspended') throw vaultErrors.suspended()
  if (vault.limitReached) throw vaultErrors.limitReached()
  if (!vault.isPrivate && !hasSignature(query)) return { isLink: false, download: false }
  return { isLink: true, ...checkLink(vault, { method: 'GET', name, query }) }
}

function corsOf(
  vault: Vault,
  request: IncomingMessage,
  { query }: Address
): Record<string, string> {
  const rules = hasSignature(query) ? anyOrigin : vault.cors
  return corsHeaders(rules, request.headers.origin, request.method!)
}

async function answerPreflight(
  { store, meter }: CdnDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { key, query }: Address
): Promise<void> {
  const vault = await store.vaultByKey(key)
  if (!vault) throw vaultErrors.noObject()
  const { origin } = request.headers
  const method = request.headers['access-control-request-method']
  if (!origin || !method) throw vaultErrors.badRequest()
  const rules = hasSignature(query) ? anyOrigin : vault.cors
  const asked = request.headers['access-control-request-headers']
  const headers = preflight(rules, origin, method, asked)
  if (!headers)
    throw vaultErrors.notAllowed('The CORS rules of this vault do not allow this page to do this.')
  meter.count(vault, 0, 0)
  response.writeHead(204, headers).end()
}

async function send(
  deps: CdnDeps,
  request: IncomingMessage,
  response: ServerResponse,
  found: Representation,
  { isLink, download }: Access,
  cors: Record<string, string>
): Promise<void> {
  const { headers } = request
  const { vault, object } = found
  // Ranges are of the bytes as they are: those of something compressed would fit together with nothing.
  const wanted = headers.range === undefined ? chooseCoding(headers['accept-encoding']) : 'identity'
  const coding = await found.prepare(wanted)

  const { modifiedAt } = object
  const judged = checkPreconditions(headers, {
    etag: found.etag(coding),
    etags: found.etags,
    modifiedAt,
  })
  if (judged.outcome !== 'go') deps.meter.count(vault, 0, 0)
  if (judged.outcome === 'failed') throw vaultErrors.condition()
  if (judged.outcome === 'unchanged') {
    const kept = { ...found.validators(coding, isLink), ETag: judged.etag }
    response.writeHead(304, merged(kept, cors)).end()
    return
  }

  const whole = merged(found.headers(coding, isLink, download), cors)
  const range = rangeOf(request, found)
  if (range === 'none') {
    deps.meter.count(vault, 0, 0)
    throw outOfRange(object.size)
  }
  if (range === 'all') {
    const length = found.bodyIn(coding)?.length ?? object.size
    const head = { ...whole, 'Content-Length': String(length) }
    return sendBody(deps, request, response, { found, coding, length, status: 200, head })
  }
  const { start, end } = range
  const length = end - start + 1
  const head = {
    ...whole,
    'Content-Length': String(length),
    'Content-Range': `bytes ${start}-${end}/${object.size}`,
  }
  return sendBody(deps, request, response, { found, coding, length, status: 206, head, range })
}

function rangeOf(
  { method, headers }: IncomingMessage,
  found: Representation
): Range | 'all' | 'none' {
  if (method !== 'GET' || headers.range === undefined) return 'all'
  const { modifiedAt, size } = found.object
  if (!isRangeValid(headers['if-range'] as string | undefined, found.etag(), modifiedAt))
    return 'all'
  return parseRange(headers.range, size)
}

interface Answer {
  found: Representation
  coding: Coding
  length: number
  status: 200 | 206
  head: Record<string, string>
  range?: Range
}

async function sendBody(
  { meter, store }: CdnDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { found, coding, length, status, head, range }: Answer
): Promise<void> {
  const { vault, object } = found
  if (request.method === 'HEAD') {
    meter.count(vault, 0, 0)
    response.writeHead(status, head).end()
    return
  }
  const body = found.bodyIn(coding)
  if (body) {
    meter.count(vault, 0, length)
    response.writeHead(status, head)
    response.end(range ? body.subarray(range.start, range.end + 1) : body)
    return
  }

  if (response.destroyed) return
  const source = store.read(object, range)
  response.once('close', () => source.destroy(new Error('The reader is gone')))
  let sent = 0
  try {
    // Only what can be read is promised.
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

/** Whether the reader ended it, which is nobody's fault. */
function isGone({ req }: ServerResponse): boolean {
  return req.socket.destroyed && !req.socket.errored
}
