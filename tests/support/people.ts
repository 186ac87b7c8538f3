import type { Audience, StaffRole } from '#core/contracts/actor'
import Person from '#identity/models/person'
import { randomInt, randomUUID } from 'node:crypto'

export { actorOf } from '#identity/actor'

/**
 * Number of customers who send requests at the same time. It is higher than a process's number of database connections
 * (config/database.ts).
 */
export const CONCURRENT_CUSTOMER_COUNT = 24

export const testPassword = 'a quay at low tide'

export function freshEmail(prefix = 'person'): string {
  return `${prefix}-${randomUUID().slice(0, 12)}@example.com`
}

/** Returns a random IP address, because a rate limit that one test reached must not affect another. */
export function freshIp(): string {
  return `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`
}

function makePerson(
  audience: Audience,
  role: StaffRole | null,
  more: Partial<Person>
): Promise<Person> {
  const email = freshEmail(role ?? audience)
  const name = email.split('@')[0]
  return Person.create({ audience, role, email, name, password: testPassword, ...more })
}

export function makeCustomer(more: Partial<Person> = {}): Promise<Person> {
  return makePerson('customer', null, more)
}

export function makeStaff(
  role: StaffRole = 'administrator',
  more: Partial<Person> = {}
): Promise<Person> {
  return makePerson('staff', role, more)
}

export interface TestResponse {
  status: number
  headers: Headers
  text: string
  /** Parsed body; `{}` for responses other than JSON. */
  json: {
    success?: boolean
    message?: string
    data?: Record<string, unknown>
    errors?: Record<string, string[]>
    /** Error code, if the request was rejected. */
    code?: string
    /** Name of the page component. Only in responses to `page()`. */
    component?: string
    props?: Record<string, unknown>
  }
}

/** A visitor who keeps cookies between requests, like a browser. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  /** The visitor's IP address, which requests send as X-Forwarded-For. */
  ip = freshIp()
  readonly base: string

  constructor(base = `http://127.0.0.1:${process.env.PORT}`) {
    this.base = base
  }

  get(path: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.#send('GET', path, undefined, headers)
  }

  /** Sends a POST request. The body is JSON, or multipart for FormData. Sends the CSRF token if the visitor has one. */
  post(
    path: string,
    body: object = {},
    headers: Record<string, string> = {}
  ): Promise<TestResponse> {
    return this.#send('POST', path, body, headers)
  }

  patch(path: string, body: object, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.#send('PATCH', path, body, headers)
  }

  /** Requests a page as Inertia does. The props are in `json`. */
  async page(path: string): Promise<TestResponse> {
    const first = await this.#send('GET', path, undefined, { 'x-inertia': 'true' })
    if (first.status !== 409) return first
    const version = first.headers.get('x-inertia-version') ?? ''
    return this.#send('GET', path, undefined, { 'x-inertia': 'true', 'x-inertia-version': version })
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name.split('/')[0]}=${value}`).join('; ')
  }

  /** Returns the headers that every request has. */
  get headers(): Record<string, string> {
    return { accept: 'application/json', 'x-forwarded-for': this.ip, cookie: this.cookie }
  }

  /** Sends a request with `fetch`. Keeps no cookies of the response. */
  fetch(
    path: string,
    init: RequestInit & { headers?: Record<string, string> } = {}
  ): Promise<Response> {
    return fetch(this.base + path, { ...init, headers: { ...this.headers, ...init.headers } })
  }

  async #send(
    method: string,
    path: string,
    body?: object,
    more: Record<string, string> = {}
  ): Promise<TestResponse> {
    const token = this.cookies.get(path.startsWith('/admin') ? 'XSRF-TOKEN/admin' : 'XSRF-TOKEN/')
    const isJsonSent = body && !(body instanceof FormData)
    const response = await fetch(this.base + path, {
      method,
      redirect: 'manual',
      headers: {
        ...this.headers,
        ...(token && { 'x-xsrf-token': decodeURIComponent(token) }),
        ...(isJsonSent && { 'content-type': 'application/json' }),
        ...more,
      },
      body: body instanceof FormData ? body : body && JSON.stringify(body),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    // Does not read the body of an event stream, because it never ends.
    const isEndless = /\/changes(\?|$)/.test(path) && response.ok
    if (isEndless) await response.body?.cancel()
    const text = isEndless ? '' : await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : {},
    }
  }

  #keep(line: string) {
    const [pair] = line.split(';')
    const at = pair.indexOf('=')
    const path = /;\s*path=([^;]*)/i.exec(line)?.[1] ?? '/'
    // The customer area and the admin area each set an XSRF-TOKEN cookie, which differ only in the path. So the path
    // is a part of the key.
    const name = pair.slice(0, at) === 'XSRF-TOKEN' ? `XSRF-TOKEN${path}` : pair.slice(0, at)
    if (/max-age=0|expires=thu, 01[ -]jan[ -]1970/i.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, pair.slice(at + 1))
  }
}

/** Returns a signed-out visitor who has opened the sign-in page. */
export async function makeVisitor(area: 'customer' | 'admin' = 'customer'): Promise<Visitor> {
  const visitor = new Visitor()
  await visitor.page(area === 'admin' ? '/admin/login' : '/login')
  return visitor
}

/** @throws if the sign-in fails, for example because the password is not `testPassword` */
export async function signIn(person: Person, visitor?: Visitor): Promise<Visitor> {
  const admin = person.audience === 'staff'
  const browser = visitor ?? (await makeVisitor(admin ? 'admin' : 'customer'))
  const answer = await browser.post(admin ? '/admin/login' : '/login', {
    email: person.email,
    password: testPassword,
  })
  if (!answer.json.success) throw new Error(`Not signed in: ${answer.status} ${answer.text}`)
  return browser
}
