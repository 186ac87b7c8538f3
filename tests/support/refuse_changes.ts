import server from '@adonisjs/core/services/server'
import type { RequestListener } from 'node:http'

const REFUSAL = JSON.stringify({
  success: false,
  code: 'conflict',
  message: 'Nothing is changed here.',
})

/**
 * Makes the server under test answer each request other than GET with 409. The server does this, because rejecting
 * them in the browser (`page.route`) would turn off the browser's cache.
 * @returns a function that ends this
 */
export function refuseChanges(): () => void {
  const http = server.getNodeServer()!
  const handlers = http.listeners('request') as RequestListener[]
  const refuse: RequestListener = (request, response) => {
    if (request.method === 'GET') return handlers.forEach((handle) => handle(request, response))
    request.resume()
    response.writeHead(409, { 'content-type': 'application/json' }).end(REFUSAL)
  }
  http.removeAllListeners('request').on('request', refuse)
  return () => {
    http.removeListener('request', refuse)
    for (const handle of handlers) http.on('request', handle)
  }
}
