import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ControlError } from '#packages/service/control_client'
import { isDatabaseUnavailable } from '#packages/service/database_watch'
import type { Readiness } from '#packages/service/readiness'
import { countRequest } from '#packages/telemetry/metrics'
import { MailError, mailErrors } from '../errors.js'
import type { OutgoingMailService } from '../outgoing_mail_types.js'
import { handleSendMail, type SendDeps } from './send_mail.js'

export interface HttpDeps extends SendDeps {
  outgoing: Pick<OutgoingMailService, 'http'>
  control(request: IncomingMessage, response: ServerResponse, name: string): Promise<void>
  readiness(): Promise<Readiness>
  log(entry: object): void
}

/** Serves `/send-mail`, `/health`, the console's `/control/…`, and links in messages. */
export function createMailHttpServer(deps: HttpDeps): Server {
  const server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, (request, response) => {
    const began = performance.now()
    response.once('close', () => {
      const route = kindOf((request.url ?? '/').split('?', 1)[0]!)
      const seconds = (performance.now() - began) / 1_000
      countRequest(request.method ?? 'GET', route, response.statusCode, seconds)
    })
    void answer(deps, request, response)
  })
  server.requestTimeout = 120_000
  server.headersTimeout = 20_000
  server.maxHeadersCount = 200
  return server
}

/** Returns the path's label for metrics. The paths of links contain secrets, so all of them get the same label. */
function kindOf(path: string): string {
  if (path.startsWith('/control/')) return '/control'
  return path === '/send-mail' || path === '/health' ? path : 'link'
}

async function answer(
  deps: HttpDeps,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  try {
    response.setHeader('X-Content-Type-Options', 'nosniff')
    response.setHeader('Referrer-Policy', 'same-origin')
    await handle(deps, request, response)
  } catch (error) {
    rejectRequest(deps, request, response, error)
  }
}

async function handle(
  deps: HttpDeps,
  request: IncomingMessage,
  response: ServerResponse
): Promise<void> {
  const path = (request.url ?? '/').split('?', 1)[0]!
  if (path === '/send-mail') return handleSendMail(deps, request, response)
  if (path === '/health') return health(deps, response)
  if (path === '/health/live') return sendHealth(response, 'ok')
  if (path.startsWith('/control/')) {
    return deps.control(request, response, path.slice('/control/'.length))
  }
  if (await deps.outgoing.http(request, response, path)) return
  throw mailErrors.nothing()
}

async function health(deps: HttpDeps, response: ServerResponse): Promise<void> {
  sendHealth(response, await deps.readiness())
}

function sendHealth(response: ServerResponse, status: Readiness): void {
  response.writeHead(status === 'ok' ? 200 : 503, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify({ status, role: 'mail' }))
}

function knownOf(error: unknown): MailError | undefined {
  if (error instanceof MailError) return error
  if (isDatabaseUnavailable(error)) {
    const message =
      'Email cannot be accepted at the moment. Nothing of this call was accepted. Send it again.'
    return new MailError(503, 'unavailable', message, { headers: { 'Retry-After': '10' } })
  }
  if (!(error instanceof ControlError)) return undefined
  return new MailError(error.status, error.code, error.message)
}

/**
 * Sends an error in the API's format. Logs errors with a 5xx status, and unexpected errors with an ID that is also in
 * the response.
 */
function rejectRequest(
  deps: HttpDeps,
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown
): void {
  const known = knownOf(error)
  const id = randomUUID()
  if (!known || known.status >= 500) {
    const path = (request.url ?? '').split('?', 1)[0]
    const cause = error instanceof Error ? (error.cause ?? error.stack) : error
    deps.log({ level: 50, msg: 'mail request failed', id, path, err: String(cause) })
  }
  if (response.headersSent) return void response.destroy()
  const message =
    known?.message ??
    `Something went wrong on our side. If it happens again, send support this number: ${id}`
  const { headers, errors, index } = known?.more ?? {}
  response.writeHead(known?.status ?? 500, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...headers,
    ...(!request.complete && { connection: 'close' }),
  })
  response.end(JSON.stringify({ success: false, code: known?.code, message, errors, index }))
  if (!request.complete) request.resume()
}
