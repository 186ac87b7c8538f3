import { commonResponseHeaders } from '#core/common_headers'
import env from '#start/service_env'
import { createServer } from 'node:http'

/** Serves only `/health`. */
export async function listen(role: string, port: number): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const known = request.url === '/health'
    response.writeHead(known ? 200 : 404, {
      ...commonResponseHeaders,
      'content-type': 'application/json',
    })
    response.end(JSON.stringify(known ? { status: 'ok', role } : { success: false }))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, env.get('HOST'), resolve)
  })
  return () => new Promise((resolve) => server.close(() => resolve()))
}
