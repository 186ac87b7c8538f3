import { closeLiveEvents } from '#core/live/live_events'
import { OperationRunner } from '#core/operations/runner'
import { checkReadiness } from '#core/readiness'
import { startSchedules } from '#core/schedules/schedules'
import { takeOverUnixSocket, type RunningService } from '#packages/service/graceful_handover'
import env from '#start/env'
import { once } from 'node:events'
import { createServer } from 'node:http'

/** Operations and schedules. */
export async function start(): Promise<RunningService> {
  const runner = new OperationRunner()
  await runner.start()
  const stopSchedules = startSchedules()
  const stopHealth = await serveHealth(env.get('HEALTH_SOCKET'))
  const stop = async () => {
    await Promise.all([stopSchedules(), runner.stop(), stopHealth()])
    await closeLiveEvents()
  }
  // Another one takes up what this one leaves; nobody waits for it.
  return { stop, leave: async () => {} }
}

/** It listens at no port: how it is it says at a socket that root alone can reach. */
async function serveHealth(path: string | undefined): Promise<() => Promise<void>> {
  if (!path) return async () => {}
  const server = createServer(async (request, response) => {
    const status = request.url === '/health' ? await checkReadiness() : 'ok'
    response.writeHead(status === 'ok' ? 200 : 503, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ status, role: 'worker' }))
  })
  await takeOverUnixSocket(server, path)
  return async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
}
