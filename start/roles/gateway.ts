import { ports } from '#config/services'
import { plainHeaders } from '#core/headers'
import { readiness } from '#core/readiness'
import { measure } from '#packages/telemetry/metrics'
import { createTerminalGateway } from '#terminal/public'
import { createServer, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import env from '#start/env'

const RESTART = 'The terminal service is being restarted. Reconnect in a moment.'

/** Terminals in the browser. Stopping it tells every open terminal why it closes. */
export async function start() {
  const gateway = createTerminalGateway()
  const server = createServer((request, response) => {
    if (request.url === '/health') void health(response, gateway.size)
    else if (request.url === '/health/live') reply(response, 200, { status: 'ok', role: 'gateway' })
    else reply(response, 426, { success: false, message: 'This address speaks WebSocket.' })
  })
  gateway.attach(server)
  measure('berth_terminals_open', 'Terminals that are open', () => gateway.size)
  server.listen(ports.gateway, env.get('HOST'))
  await once(server, 'listening')

  return async () => {
    const closed = once(server, 'close')
    server.close()
    await gateway.drain(RESTART)
    await gateway.close()
    server.closeAllConnections()
    await closed
  }
}

async function health(response: ServerResponse, terminals: number): Promise<void> {
  const status = await readiness()
  reply(response, status === 'ok' ? 200 : 503, { status, role: 'gateway', terminals })
}

function reply(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(status, { ...plainHeaders, ...headers })
  response.end(JSON.stringify(body))
}
