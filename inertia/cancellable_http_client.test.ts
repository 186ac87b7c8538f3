import { HttpCancelledError } from '@inertiajs/core'
import { afterEach, expect, it, vi } from 'vitest'
import { CancellableHttpClient } from './cancellable_http_client'

class FakeXhr {
  static sent: FakeXhr[] = []
  status = 200
  responseText = '{}'
  upload = {}
  onload = () => {}
  onabort = () => {}
  open() {}
  setRequestHeader() {}
  getAllResponseHeaders() {
    return ''
  }
  send() {
    FakeXhr.sent.push(this)
  }
  abort() {
    this.onabort()
  }
}

function ask() {
  FakeXhr.sent = []
  vi.stubGlobal('XMLHttpRequest', FakeXhr)
  const cancel = new AbortController()
  const answer = new CancellableHttpClient().request({
    method: 'get',
    url: '/admin/billing/statements',
    data: null,
    headers: {},
    signal: cancel.signal,
  })
  return { cancel, answer }
}

afterEach(() => vi.unstubAllGlobals())

it('the HTTP client returns a response', async () => {
  const { answer } = ask()
  await vi.waitFor(() => expect(FakeXhr.sent).toHaveLength(1), { timeout: 30_000 })
  FakeXhr.sent[0].onload()
  expect((await answer).status).toBe(200)
})

it('the HTTP client does not send a request that was cancelled before', async () => {
  const { cancel, answer } = ask()
  cancel.abort()
  await expect(answer).rejects.toBeInstanceOf(HttpCancelledError)
  expect(FakeXhr.sent).toHaveLength(0)
})

it('the HTTP client rejects a response that arrives just before its cancellation', async () => {
  const { cancel, answer } = ask()
  await vi.waitFor(() => expect(FakeXhr.sent).toHaveLength(1), { timeout: 30_000 })
  FakeXhr.sent[0].onload()
  cancel.abort()
  await expect(answer).rejects.toBeInstanceOf(HttpCancelledError)
})
