/** Reference server with bare `node:http`. Responds to polls with 304, and sends events to the streams. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const streams = new Set<ServerResponse>()

const server = createServer((request, response) => {
  if (request.url === '/changes') {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(':\n\n')
    streams.add(response)
    response.on('close', () => streams.delete(response))
  } else if (request.method === 'POST') {
    request.resume().on('end', () => {
      for (const stream of streams) stream.write('data: {"changed":["support:1"]}\n\n')
      response.writeHead(201).end('{}')
    })
  } else {
    response
      .writeHead(request.headers['if-none-match'] === '"1"' ? 304 : 200, { etag: '"1"' })
      .end()
  }
})
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
