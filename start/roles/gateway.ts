import { ports } from '#config/services'
import { commonResponseHeaders } from '#core/common_headers'
import { checkReadiness } from '#core/readiness'
import { registerGauge } from '#packages/telemetry/metrics'
import { createTerminalGateway } from '#terminal/public_effects'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { createGracefulClose, type RunningService } from '#packages/service/graceful_handover'
import env from '#start/env'

const RESTART_MESSAGE = 'The terminal service is being restarted. Reconnect in a moment.'

const UPGRADE_MESSAGE =
  'The terminal service was upgraded, so the programs in this terminal ended. Reconnect to start a new shell.'
const LEAVE_TIMEOUT_MS = 20_000
const UPGRADE_NOTICE = `The terminal service is being upgraded: this terminal closes in ${LEAVE_TIMEOUT_MS / 1000} seconds. Save your work`

/**
 * If another process takes over, people with open terminals get a notice, and the terminals end within 20 s. If
 * the gateway stops, they end at once. A shell is a connection of this process, so another process cannot continue it.
 */
export async function start(): Promise<RunningService> {
  const gateway = createTerminalGateway()
  const server = createServer((request, response) => {
    if (request.url === '/health') void health(response, gateway.size)
    else if (request.url === '/health/live') reply(response, 200, { status: 'ok', role: 'gateway' })
    else reply(response, 426, { success: false, message: 'Connect to this address by WebSocket.' })
  })
  const leaveServer = createGracefulClose(server)
  gateway.attach(server)
  registerGauge(
    'berth_terminals_open',
    'Open terminals, including those kept for closed pages',
    () => gateway.size
  )
  server.listen({ port: ports.gateway, host: env.get('HOST'), reusePort: true })
  await once(server, 'listening')

  const stop = async () => {
    const closed = server.listening ? once(server, 'close') : undefined
    server.close()
    await gateway.drain(RESTART_MESSAGE)
    await gateway.close()
    server.closeAllConnections()
    await closed
  }
  return {
    stop,
    async leave() {
      const left = leaveServer({ timeoutMs: LEAVE_TIMEOUT_MS + 10_000 })
      await gateway.leave(UPGRADE_NOTICE, UPGRADE_MESSAGE, LEAVE_TIMEOUT_MS)
      await left
    },
  }
}

async function health(response: ServerResponse, terminals: number): Promise<void> {
  const status = await checkReadiness()
  reply(response, status === 'ok' ? 200 : 503, { status, role: 'gateway', terminals })
}

function reply(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(status, { ...commonResponseHeaders, ...headers })
  response.end(JSON.stringify(body))
}
