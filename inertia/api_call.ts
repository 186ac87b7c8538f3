import type { PageHref, NonGetRoutePath } from '#core/page_addresses'
import { isSignedOut, reportSignedOut } from '~/signed_out'
import { notify, type ActionResult } from '@ui/notify'

export type CallPath = NonGetRoutePath | PageHref

/** Result of a call. `status` is the HTTP status, or 0 if the network failed. */
export interface CallResult<T> extends ActionResult {
  status: number
  /** Error code for programs. The message may change. */
  code?: string
  data?: T
  /** Error messages by field name. */
  errors: Record<string, string[]>
  /** Seconds to wait before the next attempt, from the Retry-After header. */
  retryAfter?: number
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON, as multipart if it is a FormData, or as the query of a GET. */
  data?: Record<string, unknown> | FormData
  signal?: AbortSignal
  /** Selects which results the call shows as toasts. Default: `all`. The caller must show the other results. */
  toasts?: 'all' | 'failures' | 'successes' | 'none'
}

export const networkErrorAnswer: ActionResult = {
  success: false,
  message: 'No network connection. Your input is still here. Check your connection and try again.',
}

const SIGNED_OUT_CODE = 'signed_out'

const defaultMessages: Record<number, string> = {
  401: 'You are signed out. Sign in again to continue.',
  403: 'You are not allowed to do this.',
  404: 'This item no longer exists. Reload the page.',
  409: 'This is no longer possible. Reload the page to see the current state.',
  413: 'The text or file is too large to send. Send less at once.',
  419: 'This page is out of date. Reload it and try again.',
  429: 'Too many attempts. Wait a moment and try again.',
}

/** Returns the CSRF token from the cookie. Inertia's own requests send the same token. */
export function xsrfToken(cookies = document.cookie) {
  const pair = cookies.split('; ').find((cookie) => cookie.startsWith('XSRF-TOKEN='))
  return pair ? decodeURIComponent(pair.slice('XSRF-TOKEN='.length)) : null
}

function withQuery(path: string, data: Record<string, unknown>) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(data)) {
    if (value !== undefined && value !== null) query.set(name, String(value))
  }
  return query.size ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function fieldErrors(value: unknown) {
  if (!isRecord(value)) return {}
  return Object.fromEntries(
    Object.entries(value).map(([field, texts]) => [
      field,
      (Array.isArray(texts) ? texts : [texts]).map(String),
    ])
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/**
 * Shown if a response with a success status is not from Berth, for example a sign-in page of a proxy or of a Wi-Fi
 * network.
 */
export const UNREADABLE_RESPONSE_MESSAGE =
  'The response came from another server, not from Berth. Check your connection, reload the page, and check whether the change was saved.'

async function parseResponse<T>(response: Response): Promise<CallResult<T>> {
  const body = response.status === 204 ? {} : parseJson(await response.text())
  const answer = isRecord(body) ? body : {}
  const success = response.ok && isRecord(body) && answer.success !== false
  const plain = success
    ? ''
    : response.ok
      ? UNREADABLE_RESPONSE_MESSAGE
      : (defaultMessages[response.status] ?? 'Server error. Try again in a moment.')
  const retryAfter = Number(response.headers.get('Retry-After'))
  return {
    status: response.status,
    success,
    message: typeof answer.message === 'string' ? answer.message : plain,
    ...(typeof answer.code === 'string' && { code: answer.code }),
    data: answer.data as T | undefined,
    errors: fieldErrors(answer.errors),
    ...(retryAfter > 0 && { retryAfter }),
  }
}

function showToasts(
  { success, message, errors }: CallResult<unknown>,
  toasts: CallOptions['toasts']
) {
  if (toasts === 'none' || toasts === (success ? 'failures' : 'successes')) return
  const texts = new Set([message, ...Object.values(errors).flat()])
  for (const text of texts) void notify({ success, message: text })
}

const signedOutAnswer = {
  status: 401,
  code: SIGNED_OUT_CODE,
  success: false,
  message: defaultMessages[401],
  errors: {},
} as const satisfies CallResult<never>

const successEvents = new EventTarget()

export function onSuccessfulCall(path: string, listener: () => void): () => void {
  successEvents.addEventListener(path, listener)
  return () => successEvents.removeEventListener(path, listener)
}

/**
 * Makes a JSON call and shows its message and field errors as toasts. Never throws: 4xx, 5xx and network failures are
 * returned as results. Sends nothing after the person has signed out. A call that is aborted before the end
 * of the response has status 0 and shows nothing.
 */
export async function call<T = unknown>(
  path: CallPath,
  options: CallOptions = {}
): Promise<CallResult<T>> {
  if (isSignedOut()) return signedOutAnswer
  const { method = options.data ? 'POST' : 'GET', data, signal, toasts = 'all' } = options
  const token = xsrfToken()
  const inQuery = method === 'GET' && data && !(data instanceof FormData)
  const asJson = data && !inQuery && !(data instanceof FormData)
  let result: CallResult<T>
  try {
    const response = await fetch(inQuery ? withQuery(path, data) : path, {
      method,
      signal,
      credentials: 'same-origin',
      headers: {
        Accept: 'application/json',
        'X-Requested-With': 'XMLHttpRequest',
        ...(token && { 'X-XSRF-TOKEN': token }),
        ...(asJson && { 'Content-Type': 'application/json' }),
      },
      body: inQuery ? undefined : data instanceof FormData ? data : data && JSON.stringify(data),
    })
    result = await parseResponse<T>(response)
  } catch {
    result = { ...networkErrorAnswer, status: 0, errors: {} }
    if (signal?.aborted) return result
  }
  if (result.code === SIGNED_OUT_CODE) {
    reportSignedOut()
    return result
  }
  showToasts(result, toasts)
  if (result.success && method !== 'GET') successEvents.dispatchEvent(new Event(path))
  return result
}
