import type Person from '#identity/models/person'
import { makeCustomer, makeStaff, makeVisitor, signIn, type Visitor } from '#tests/support/people'

/** Who asks, in the order of the answers. */
export const askers = [
  'signed out',
  'customer',
  'other customer',
  'support',
  'administrator',
] as const

export interface Cast {
  customer: Person
  other: Person
  support: Person
  administrator: Person
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
 */
export type Row = [
  route: string,
  kind: 'page' | 'call',
  answers: string,
  make?: (cast: Cast) => Promise<Asked> | Asked,
  fresh?: 'fresh',
]

export async function makeCast(): Promise<Cast> {
  const [customer, other] = [await makeCustomer(), await makeCustomer()]
  const [support, administrator] = [await makeStaff('support'), await makeStaff('administrator')]
  return { customer, other, support, administrator }
}

/** The browser of one of the askers, by the place in `askers`. */
export async function makeAsker(cast: Cast, index: number): Promise<Visitor> {
  const { customer, other, support, administrator } = cast
  const person = [null, customer, other, support, administrator][index]
  if (person) return signIn(person)
  const signedOut = await makeVisitor()
  await signedOut.page('/admin/login')
  return signedOut
}

/** A browser for each of the askers. */
export function makeAskers(cast: Cast): Promise<Visitor[]> {
  return Promise.all(askers.map((_asker, index) => makeAsker(cast, index)))
}

/** What one of them is answered. */
export async function ask(visitor: Visitor, route: string, kind: Row[1], asked: Asked = {}) {
  const [method, pattern] = route.split(' ')
  const path = pattern.replace(/:(\w+)\??/g, (_all, name: string) =>
    String(asked.params?.[name] ?? 999_999_999)
  )
  const address = asked.query ? `${path}?${asked.query}` : path
  if (kind === 'page') return (await visitor.page(address)).status
  if (method === 'GET') return (await visitor.get(address, asked.headers)).status
  return (await visitor.post(address, asked.body ?? {}, asked.headers)).status
}
