import { closeLiveEvents } from '#core/live/live_events'
import { OperationRunner } from '#core/operations/runner'
import { checkReadiness } from '#core/readiness'
import { startSchedules } from '#core/schedules/schedules'
import { takeOverUnixSocket, type RunningService } from '#packages/service/graceful_handover'
import env from '#start/env'
import { once } from 'node:events'
import { createServer } from 'node:http'

export async function start(): Promise<RunningService> {
  const runner = new OperationRunner()
  await runner.start()
  const stopSchedules = startSchedules()
  const stopHealth = await serveHealth(env.get('HEALTH_SOCKET'))
  const stop = async () => {
    await Promise.all([stopSchedules(), runner.stop(), stopHealth()])
    await closeLiveEvents()
  }
  // Does not wait for running work, because the next worker resumes it.
  return { stop, leave: async () => {} }
}

/**
 * Serves the worker's health on a socket, because the worker listens on no port. Only root and the worker's user can
 * use the socket.
 */
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
