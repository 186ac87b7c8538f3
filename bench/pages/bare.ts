/** Reference server with bare `node:http`. Runs the same SQL, and responds with the rows as JSON. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'

interface Given {
  url: string
  statements: { sql: string; bindings: unknown[] }[]
}

process.once('message', ({ url, statements }: Given) => {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  const server = createServer((_request, response) => {
    const all = statements.map(({ sql, bindings }) => pool.query(sql, bindings))
    void Promise.all(all).then((found) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(found.map(({ rows }) => rows)))
    })
  })
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
})
