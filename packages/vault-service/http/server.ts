import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { isDatabaseUnavailable } from '#packages/service/database_watch'
import type { Readiness } from '#packages/service/readiness'
import { vaultErrors, VaultError } from '../errors.js'
import { handleS3, isS3Request } from '../s3/main.js'
import type { ChangeCounters } from '../store/change_counters.js'
import type { UsageMeter, ObjectStore } from '../types.js'
import { serveObject } from './serve_object.js'
import { installFastPath } from './fast_path.js'
import type { ObjectCache } from './object_cache.js'
import type { KeyAuthenticator } from './key_authenticator.js'
import { parseObjectAddress } from './object_names.js'
import { handleRemoveRequest } from './remove.js'
import { handleFormUpload, handleSignedLinkUpload } from './upload.js'

export interface HttpDeps {
  store: ObjectStore
  meter: UsageMeter
  generations: ChangeCounters
  hot: ObjectCache
  keys: KeyAuthenticator
  control(request: IncomingMessage, response: ServerResponse, name: string): Promise<void>
  readiness(): Promise<Readiness>
  log(entry: object): void
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Endpoints: `/upload`, `/remove`, `/health`, `/health/live`, and `/control/…` for the console.
 * `/{vault}/{object}` serves browsers and signed links, and S3 clients if the request has an S3 signature.
 */
export function createVaultServer(deps: HttpDeps): Server {
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    void answer(deps, request, response)
  }
  const server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, listener)
  // Handles a request with `Expect: 100-continue` like any other. The handler that reads its body first sends `100
  // Continue` (`sendContinue`).
  server.on('checkContinue', listener)
  // No time limit for a whole request, because an upload of 5 GB may take long. Idle connections still time out.
  server.requestTimeout = 0
  server.headersTimeout = 20_000
  server.timeout = 120_000
  server.maxHeadersCount = 200
  installFastPath(server, deps)
  return server
}

async function answer(
  deps: HttpDeps,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  try {
    await handlerOf(deps, request)(request, response)
  } catch (error) {
    rejectRequest(deps, request, response, error)
  }
}

function handlerOf(deps: HttpDeps, request: IncomingMessage): Handle {
  const url = request.url ?? '/'
  const pathname = url.split('?', 1)[0]
  if (pathname === '/health') return (_, response) => health(deps, response)
  if (pathname === '/health/live') return async (_, response) => sendHealth(response, 'ok')
  if (pathname.startsWith('/control/')) {
    return (_, response) => deps.control(request, response, pathname.slice('/control/'.length))
  }
  if (isS3Request(request)) return (_, response) => handleS3(deps, request, response)
  if (pathname === '/upload') return (_, response) => handleFormUpload(deps, request, response)
  if (pathname === '/remove') return (_, response) => handleRemoveRequest(deps, request, response)
  const at = parseObjectAddress(url)
  if (!at) throw vaultErrors.noObject()
  if (request.method === 'PUT')
    return (_, response) => handleSignedLinkUpload(deps, request, response, at)
  return (_, response) => serveObject(deps, request, response, at)
}

async function health(deps: HttpDeps, response: ServerResponse): Promise<void> {
  sendHealth(response, await deps.readiness())
}

function sendHealth(response: ServerResponse, status: Readiness): void {
  response.writeHead(status === 'ok' ? 200 : 503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify({ status, role: 'vault' }))
}

/**
 * Sends an error in the format of the product's API. Logs errors with a 5xx status. The response to an unexpected error
 * contains the ID of its log entry.
 */
function rejectRequest(
  deps: HttpDeps,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown
): void {
  const known = isDatabaseUnavailable(error)
    ? vaultErrors.storeFailed()
    : error instanceof VaultError
      ? error
      : undefined
  const id = randomUUID()
  if (!known || known.status >= 500) {
    const path = (request.url ?? '').split('?', 1)[0]
    deps.log({
      level: 50,
      msg: 'vault request failed',
      id,
      method: request.method,
      path,
      err: describeError(error),
    })
  }
  if (response.headersSent) return void response.destroy()
  const message =
    known?.message ??
    `Something went wrong on our side. If it happens again, send support this number: ${id}`
  response.writeHead(known?.status ?? 500, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...known?.headers,
    // Closes the connection if the body was not read completely. Otherwise the server would have to receive the rest of
    // the body, which may be large, before the next request.
    ...(!request.complete && { connection: 'close' }),
  })
  response.end(JSON.stringify({ success: false, code: known?.code, message }))
  if (!request.complete) request.resume()
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `; ${error.cause.message}` : ''
  return `${error.stack ?? error.message}${cause}`
}
