import { eventually } from '#tests/support/eventually'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

/** Twice the number of the web process's database connections. */
export const WAITING_REQUEST_COUNT = 24

/**
 * Maximum time of a page that does not need the silent service. If no database connection were free, the page would
 * wait a minute.
 */
const PAGE_TIMEOUT_MS = 20_000

/** Starts a server that accepts connections and never responds. */
export async function startSilentServer() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connectionCount: () => sockets.size,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/**
 * Asserts that requests that wait for a silent service do not block other pages. Returns the statuses of these
 * requests after the service has stopped.
 * @param request sends the request with this index
 * @param page loads a page that does not need the service
 */
export async function assertPagesAnswerMeanwhile(
  service: Awaited<ReturnType<typeof startSilentServer>>,
  request: (index: number) => Promise<{ status: number }>,
  page: () => Promise<{ status: number }>
): Promise<number[]> {
  const requests = Array.from({ length: WAITING_REQUEST_COUNT }, (_one, index) => request(index))
  await eventually(() => assert.ok(service.connectionCount() > 0))
  // Gives all requests time to acquire the resources that they hold while waiting.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const began = performance.now()
  const { status } = await page()
  const took = performance.now() - began
  service.stop()
  const statuses = (await Promise.all(requests)).map((answer) => answer.status)
  assert.equal(status, 200)
  assert.ok(took < PAGE_TIMEOUT_MS, `A page took ${Math.round(took)} ms`)
  return statuses
}
