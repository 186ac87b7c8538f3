import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { refused, VaultRefusal } from '../errors.js'
import { handleS3, isS3 } from '../s3/main.js'
import type { Generations } from '../store/generations.js'
import type { Meter, Store } from '../types.js'
import { serveObject } from './cdn.js'
import { Hot } from './hot.js'
import { removeByForm } from './remove.js'
import { uploadByForm, uploadByLink } from './upload.js'

export interface HttpDeps {
  store: Store
  meter: Meter
  generations: Generations
  hot: Hot
  control(request: IncomingMessage, response: ServerResponse, name: string): Promise<void>
  /** Whether the database answers. */
  healthy(): Promise<boolean>
  log(entry: object): void
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * One address for everything: `/upload` and `/remove`, `/health`, `/control/…` of the console, and
 * `/{vault}/{object}` for browsers, signed links and, with a signature of its own, S3's protocol.
 */
export function createVaultServer(deps: HttpDeps): Server {
  const server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, (request, response) => {
    void answer(deps, request, response)
  })
  // An upload of 5 GB takes as long as it takes; one that stands still ends.
  server.requestTimeout = 0
  server.headersTimeout = 20_000
  server.timeout = 120_000
  server.maxHeadersCount = 200
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
    refuse(deps, request, response, error)
  }
}

function handlerOf(deps: HttpDeps, request: IncomingMessage): Handle {
  const { pathname, search } = splitUrl(request.url ?? '/')
  if (pathname === '/health') return (_, response) => health(deps, response)
  if (pathname.startsWith('/control/')) {
    return (_, response) => deps.control(request, response, pathname.slice('/control/'.length))
  }
  if (isS3(request)) return (_, response) => handleS3(deps, request, response)
  if (pathname === '/upload') return (_, response) => uploadByForm(deps, request, response)
  if (pathname === '/remove') return (_, response) => removeByForm(deps, request, response)
  const slash = pathname.indexOf('/', 1)
  if (slash < 0) throw refused.noObject()
  const at = { key: pathname.slice(1, slash), name: pathname.slice(slash + 1), query: search }
  if (request.method === 'PUT') return (_, response) => uploadByLink(deps, request, response, at)
  return (_, response) => serveObject(deps, request, response, at)
}

function splitUrl(url: string): { pathname: string; search: string } {
  const at = url.indexOf('?')
  return at < 0
    ? { pathname: url, search: '' }
    : { pathname: url.slice(0, at), search: url.slice(at + 1) }
}

async function health(deps: HttpDeps, response: ServerResponse): Promise<void> {
  const ok = await deps.healthy()
  response.writeHead(ok ? 200 : 503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify({ status: ok ? 'ok' : 'database unavailable', role: 'vault' }))
}

/** Says why in the shape of the product's calls. What nobody foresaw is in the log under the number that is answered. */
function refuse(
  deps: HttpDeps,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown
): void {
  const known = error instanceof VaultRefusal ? error : undefined
  const id = randomUUID()
  if (!known || known.status >= 500) {
    const path = (request.url ?? '').split('?', 1)[0]
    deps.log({
      level: 50,
      msg: 'vault request failed',
      id,
      method: request.method,
      path,
      err: wordsOf(error),
    })
  }
  if (response.headersSent) return void response.destroy()
  const message = known?.message ?? `Something went wrong here. It is in the log as ${id}.`
  response.writeHead(known?.status ?? 500, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...known?.headers,
    // What is left of a body that nobody reads would be taken for the next request.
    ...(!request.complete && { connection: 'close' }),
  })
  response.end(JSON.stringify({ success: false, message }))
  if (!request.complete) request.resume()
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? `; ${error.cause.message}` : ''
  return `${error.stack ?? error.message}${cause}`
}
