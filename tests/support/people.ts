import type { Audience, StaffRole } from '#core/contracts/actor'
import Person from '#identity/models/person'
import { randomInt, randomUUID } from 'node:crypto'

export { actorOf } from '#identity/actor'

/** More than a process has connections to the database (config/database.ts). */
export const CONCURRENT_CUSTOMER_COUNT = 24

/** What everybody made here signs in with. */
export const testPassword = 'a quay at low tide'

/** An address that nobody else uses. */
export function freshEmail(prefix = 'person'): string {
  return `${prefix}-${randomUUID().slice(0, 12)}@example.com`
}

/** A network address of its own, so that the limits of one test do not touch another. */
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
  /** The parsed body of a JSON answer, else {}. */
  json: {
    success?: boolean
    message?: string
    data?: Record<string, unknown>
    errors?: Record<string, string[]>
    /** Of a refusal. */
    code?: string
    /** Of a page asked for with `page()`. */
    component?: string
    props?: Record<string, unknown>
  }
}

/** Requests as one browser makes them: with the cookies that the server has set so far. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  /** Where the server thinks it comes from. */
  ip = freshIp()
  readonly base: string

  constructor(base = `http://127.0.0.1:${process.env.PORT}`) {
    this.base = base
  }

  /** A call that wants JSON. */
  get(path: string, headers: Record<string, string> = {}): Promise<TestResponse> {
    return this.#send('GET', path, undefined, headers)
  }

  /** A call that wants JSON, with the CSRF token where this visitor has one; of a form, as multipart. */
  post(
    path: string,
    body: object = {},
    headers: Record<string, string> = {}
  ): Promise<TestResponse> {
    return this.#send('POST', path, body, headers)
  }

  /** A page with its props, as Inertia asks for it. */
  async page(path: string): Promise<TestResponse> {
    const first = await this.#send('GET', path, undefined, { 'x-inertia': 'true' })
    if (first.status !== 409) return first
    const version = first.headers.get('x-inertia-version') ?? ''
    return this.#send('GET', path, undefined, { 'x-inertia': 'true', 'x-inertia-version': version })
  }

  /** The cookies as a browser sends them. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name.split('/')[0]}=${value}`).join('; ')
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
        accept: 'application/json',
        'x-forwarded-for': this.ip,
        cookie: this.cookie,
        ...(token && { 'x-xsrf-token': decodeURIComponent(token) }),
        ...(isJsonSent && { 'content-type': 'application/json' }),
        ...more,
      },
      body: body instanceof FormData ? body : body && JSON.stringify(body),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    // A stream that never ends is not waited for.
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
    // Both areas have an XSRF-TOKEN, told apart by its path.
    const name = pair.slice(0, at) === 'XSRF-TOKEN' ? `XSRF-TOKEN${path}` : pair.slice(0, at)
    if (/max-age=0|expires=thu, 01[ -]jan[ -]1970/i.test(line)) this.cookies.delete(name)
    else this.cookies.set(name, pair.slice(at + 1))
  }
}

/** Somebody who has opened the sign-in page, signed out. */
export async function makeVisitor(area: 'customer' | 'admin' = 'customer'): Promise<Visitor> {
  const visitor = new Visitor()
  await visitor.page(area === 'admin' ? '/admin/login' : '/login')
  return visitor
}

/** Signs a person made here in, by the real call; throws where that fails. */
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
