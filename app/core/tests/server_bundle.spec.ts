import { test } from '@japa/runner'
import { request } from 'node:http'

/** Requests exactly this path. `fetch` would normalize it. */
function raw(path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: Number(process.env.PORT), path, headers: { accept: '*/*' } },
      (response) => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', (part) => (body += part))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      }
    )
    sent.on('error', reject)
    sent.end()
  })
}

const spellings = [
  '/ssr/server/ssr.js',
  '/ssr/server/inertia/ssr.js',
  '/ssr/server/.vite/manifest.json',
  '/assets/../ssr/server/ssr.js',
  '/assets/../../ssr/server/ssr.js',
  '/assets/..%2f..%2fssr%2fserver%2fssr.js',
  '/assets/%2e%2e/%2e%2e/ssr/server/ssr.js',
  '/assets/..%5c..%5cssr/server/ssr.js',
  '/%2e%2e/ssr/server/ssr.js',
  '//ssr/server/ssr.js',
  '/assets//..//../ssr/server/ssr.js',
  '/../ssr/server/ssr.js',
  '/../../package.json',
  '/..%2fpackage.json',
  '/assets/../../start/env.js',
  '/assets/.vite/manifest.json',
  '/.env',
]

test.group('Files of the server bundle', () => {
  for (const path of spellings) {
    test(`${path} is not served`, async ({ assert }) => {
      const { status, body } = await raw(path)
      assert.isAtLeast(status, 400)
      assert.notMatch(body, /createInertiaApp|renderToString|"dependencies"|"isEntry"|APP_KEY/)
    })
  }

  test('the favicon is served', async ({ assert }) => {
    const { status, body } = await raw('/favicon.svg')
    assert.equal(status, 200)
    assert.match(body, /<svg/)
  })
})
