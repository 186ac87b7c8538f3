import Member from '#accounts/models/member'
import { allModules } from '#core/modules'
import type Person from '#identity/models/person'
import { makeCustomer, makeStaff, makeVisitor, signIn, type Visitor } from '#tests/support/people'
import app from '@adonisjs/core/services/app'
import { existsSync } from 'node:fs'

/** Who asks, in the order of the answers. */
export const askers = [
  'signed out',
  'customer',
  'other customer',
  'support',
  'administrator',
  'developer',
  'billing member',
] as const

export interface Cast {
  customer: Person
  other: Person
  support: Person
  administrator: Person
  /** Members of the customer's account. */
  developer: Person
  billing: Person
}

export interface Asked {
  /** For the `:names` of the route; an id that does not exist unless told. */
  params?: Record<string, string | number>
  query?: string
  body?: object
  headers?: Record<string, string>
}

/**
 * One route: its method and pattern; whether a page or a call is asked for; the status for each of
 * the `askers`; and, where it is about somebody's thing, how the thing is made (the customer's).
 * `fresh` makes it anew for each of them and signs them in anew.
 *
 * Of the members of the customer's account it need not speak (`answersOf`): a developer is answered as
 * the customer, who owns it, and a billing member is refused what not everybody may ask.
 */
export type Row = [
  route: string,
  kind: 'page' | 'call',
  answers: string,
  make?: (cast: Cast) => Promise<Asked> | Asked,
  fresh?: 'fresh',
]

/** The rows of all domains: `app/<domain>/tests/matrix.ts`, beside the routes they are about. */
export async function allRows(): Promise<Row[]> {
  const rows: Row[] = []
  for (const { name } of allModules()) {
    const file = app.makePath('app', name, 'tests/matrix.ts')
    if (!existsSync(file)) continue
    const { default: some } = (await import(file)) as { default: Row[] }
    rows.push(...some)
  }
  return rows
}

export async function makeCast(): Promise<Cast> {
  const [customer, other] = [await makeCustomer(), await makeCustomer()]
  const [support, administrator] = [await makeStaff('support'), await makeStaff('administrator')]
  const members: Person[] = []
  for (const role of ['developer', 'billing'] as const) {
    const person = await makeCustomer()
    await Member.create({ accountId: customer.id, personId: person.id, role })
    members.push(person)
  }
  const [developer, billing] = members
  return { customer, other, support, administrator, developer, billing }
}

/** The expected status for each of the `askers`. */
export function answersOf([, , answers]: Row): number[] {
  const [signedOut, customer, ...more] = answers.split(' ').map(Number)
  const said = [signedOut, customer, ...more]
  if (said.length === askers.length) return said
  return [...said, customer, customer === signedOut ? signedOut : 403]
}

/** The browser of one of the askers, by the place in `askers`. */
export async function makeAsker(cast: Cast, index: number): Promise<Visitor> {
  const { customer, other, support, administrator, developer, billing } = cast
  const person = [null, customer, other, support, administrator, developer, billing][index]
  if (person) {
    const visitor = await signIn(person)
    if (index > 4) await visitor.post('/account/switch', { id: customer.id })
    return visitor
  }
  const signedOut = await makeVisitor()
  await signedOut.page('/admin/login')
  return signedOut
}

/** A browser for each of the askers. */
export function makeAskers(cast: Cast): Promise<Visitor[]> {
  return Promise.all(askers.map((_asker, index) => makeAsker(cast, index)))
}

/** Where a route leads with what is asked for. */
export function addressOf(pattern: string, { params, query }: Asked = {}): string {
  const path = pattern.replace(/:(\w+)\??/g, (_all, name: string) =>
    String(params?.[name] ?? 999_999_999)
  )
  return query ? `${path}?${query}` : path
}

/** What one of them is answered. */
export async function ask(visitor: Visitor, route: string, kind: Row[1], asked: Asked = {}) {
  const [method, pattern] = route.split(' ')
  const address = addressOf(pattern, asked)
  if (kind === 'page') return (await visitor.page(address)).status
  if (method === 'GET') return (await visitor.get(address, asked.headers)).status
  return (await visitor.post(address, asked.body ?? {}, asked.headers)).status
}
