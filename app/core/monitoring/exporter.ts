import { commonResponseHeaders } from '#core/common_headers'
import { renderGauges } from '#core/monitoring/gauges'
import { fetchProcessMetrics, mergePrometheusTexts } from '#packages/telemetry/metrics'
import { isLoopback } from '#packages/service/ip_network'
import logger from '@adonisjs/core/services/logger'
import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ExporterOptions {
  host: string
  port: number
  folder: string
  /** Token that requests must contain. Without a token, only programs on this machine may read the metrics. */
  token?: string
}

/** The previous process may still occupy the port. */
const PORT_RETRY_MS = 2_000

/**
 * Serves `GET /metrics` for Prometheus: metrics of this machine's processes and gauges of all modules.
 * @throws if METRICS_HOST is not a loopback address and METRICS_TOKEN is not set
 */
export async function startExporter(
  options: ExporterOptions
): Promise<{ port: () => number; stop(): Promise<void> }> {
  const { host, port, token } = options
  if (!token && !isLoopback(host)) {
    throw new Error(
      `METRICS_HOST=${host} needs METRICS_TOKEN. Without a token, anybody who reaches this address could read the metrics`
    )
  }
  const stop = new AbortController()
  const server = createServer((request, response) => void answer(request, response, options))
  server.headersTimeout = 10_000
  server.requestTimeout = 10_000
  const listening = listenAtLast(server, host, port, stop.signal)
  await Promise.race([listening, sleep(100)])
  return {
    port: () => (server.address() as { port: number }).port,
    async stop() {
      stop.abort()
      await listening
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Listens as soon as the port is free. Meanwhile, the process does its other work. */
async function listenAtLast(server: Server, host: string, port: number, stop: AbortSignal) {
  for (let isReported = false; !stop.aborted;) {
    try {
      await new Promise<void>((done, failed) => {
        server.once('error', failed)
        server.listen(port, host, () => (server.off('error', failed), done()))
      })
      return
    } catch (error) {
      if (!isReported)
        logger.warn({ err: error, port }, 'metrics are not served: the port is taken')
      isReported = true
      await sleep(PORT_RETRY_MS, undefined, { signal: stop }).catch(() => {})
    }
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { folder, token }: ExporterOptions
): Promise<void> {
  const headers = { ...commonResponseHeaders, 'cache-control': 'no-store' }
  const reply = (status: number, text: string, type = 'text/plain; charset=utf-8') => {
    response.writeHead(status, {
      ...headers,
      'content-type': type,
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    })
    response.end(text)
  }
  try {
    if (!mayRead(request, token)) {
      return reply(token ? 401 : 403, 'Send the metrics token, or connect from this machine.\n')
    }
    if (request.method !== 'GET' || request.url?.split('?', 1)[0] !== '/metrics') {
      return reply(404, 'This address serves only /metrics.\n')
    }
    reply(200, await renderAllMetrics(folder), 'text/plain; version=0.0.4; charset=utf-8')
  } catch (error) {
    logger.error({ err: error }, 'metrics could not be collected')
    reply(500, 'The metrics could not be collected. See the log of this process.\n')
  }
}

export async function renderAllMetrics(folder: string): Promise<string> {
  const [processes, gauges] = await Promise.all([fetchProcessMetrics(folder), renderGauges()])
  return mergePrometheusTexts([...processes, gauges])
}

/**
 * Returns whether the client may read the metrics. Without a token, only this machine may: no proxy headers, and a
 * local `Host`. A web page in a local browser could reach this port under its own host name (DNS rebinding).
 */
function mayRead({ headers, socket }: IncomingMessage, token?: string): boolean {
  if (token) return isSame(headers.authorization ?? '', `Bearer ${token}`)
  const isPassedOn = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']
  if (isPassedOn.some((name) => headers[name] !== undefined)) return false
  const name = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  const isUs = name === 'localhost' || (isIP(name) > 0 && isLoopback(name))
  return isUs && isLoopback(socket.remoteAddress ?? '')
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}
