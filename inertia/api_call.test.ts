import { ReadableStream } from 'node:stream/web'
import { beforeEach, expect, it, vi } from 'vitest'
import { call } from './api_call'

const notify = vi.hoisted(() => vi.fn())
vi.mock('@ui/notify', () => ({ notify }))

const fetched = vi.fn<typeof fetch>()

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  fetched.mockResolvedValueOnce(
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
  )
}

const toasts = () => notify.mock.calls.map(([shown]) => shown)

beforeEach(() => {
  notify.mockReset()
  fetched.mockReset()
  vi.stubGlobal('fetch', fetched)
  document.cookie = 'XSRF-TOKEN=a%20b'
})

it('call posts JSON with the CSRF token from the cookie, and shows the message', async () => {
  answer(200, { success: true, message: 'Saved.', data: { id: 7 } })
  const result = await call<{ id: number }>('/project/store', { data: { name: 'shop' } })
  expect(result).toMatchObject({ success: true, status: 200, data: { id: 7 }, errors: {} })
  const [path, init] = fetched.mock.calls[0]
  expect(path).toBe('/project/store')
  expect(init).toMatchObject({ method: 'POST', body: '{"name":"shop"}' })
  expect(init?.headers).toMatchObject({ 'X-XSRF-TOKEN': 'a b', Accept: 'application/json' })
  expect(toasts()).toEqual([{ success: true, message: 'Saved.' }])
})

it('call shows field errors as toasts too, each text once', async () => {
  answer(422, {
    success: false,
    message: 'Look again.',
    errors: { name: ['Too short.'], path: ['Too short.', 'Odd.'] },
  })
  const result = await call('/project/store', { data: {} })
  expect(result.errors).toEqual({ name: ['Too short.'], path: ['Too short.', 'Odd.'] })
  expect(toasts().map(({ message }) => message)).toEqual(['Look again.', 'Too short.', 'Odd.'])
  expect(toasts().every(({ success }) => success === false)).toBe(true)
})

it('call shows its own message for a response that is not JSON', async () => {
  answer(429, '<html>', { 'Retry-After': '30' })
  const result = await call('/send-otp', { data: {} })
  expect(result).toMatchObject({ success: false, status: 429, retryAfter: 30 })
  expect(toasts()[0].message).toMatch(/Wait a moment/)
})

it('call reports a failure if a proxy answers instead of Berth, even with status 200', async () => {
  answer(200, '<html>Accept the terms of this Wi-Fi network</html>')
  expect(await call('/project/store', { data: {} })).toMatchObject({ success: false, status: 200 })
  expect(toasts()[0].message).toMatch(/another server/)
})

it('call shows nothing if it is aborted while the response arrives', async () => {
  const aborted = new AbortController()
  const body = new ReadableStream({
    pull(stream) {
      aborted.abort()
      stream.error(new DOMException('Aborted', 'AbortError'))
    },
  })
  fetched.mockResolvedValueOnce(new Response(body as BodyInit))
  const result = await call('/project/store', { data: {}, signal: aborted.signal })
  expect(result).toMatchObject({ success: false, status: 0 })
  expect(toasts()).toEqual([])
})

it('call reports a network failure as a result with status 0, and does not throw', async () => {
  fetched.mockRejectedValueOnce(new TypeError('Failed to fetch'))
  const result = await call('/git/details', { data: { path: '/' }, method: 'GET' })
  expect(fetched.mock.calls[0][0]).toBe('/git/details?path=%2F')
  expect(result).toMatchObject({ success: false, status: 0 })
  expect(toasts()[0].message).toMatch(/^No network connection/)
})

it('call shows no toast for `none`, nor for a success with `failures`', async () => {
  answer(404, {})
  await call('/operations/running', { toasts: 'none' })
  answer(200, { success: true, message: 'Fine.' })
  await call('/operations/running', { toasts: 'failures' })
  expect(notify).not.toHaveBeenCalled()
})
