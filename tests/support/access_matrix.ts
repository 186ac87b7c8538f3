import Member from '#accounts/models/member'
import { allModules } from '#core/modules'
import type Person from '#identity/models/person'
import { makeCustomer, makeStaff, makeVisitor, signIn, type Visitor } from '#tests/support/people'
import app from '@adonisjs/core/services/app'
import { existsSync } from 'node:fs'

/** Who asks, in the order of the answers. */
export const requesterRoles = [
  'signed out',
  'customer',
  'other customer',
  'support',
  'administrator',
  'developer',
  'billing member',
] as const

export interface MatrixPeople {
  customer: Person
  other: Person
  support: Person
  administrator: Person
  /** Members of the customer's account. */
  developer: Person
  billing: Person
}

export interface MatrixRequest {
  /** For the `:names` of the route; an id that does not exist unless told. */
  params?: Record<string, string | number>
  query?: string
  body?: object
  headers?: Record<string, string>
}

/**
 * One route: its method and pattern; whether a page or a call is asked for; the status for each of
 * the `requesterRoles`; and, where it is about somebody's thing, how the thing is made (the customer's).
 * `fresh` makes it anew for each of them and signs them in anew.
 *
 * Of the members of the customer's account it need not speak (`expectedStatuses`): a developer is answered as
 * the customer, who owns it, and a billing member is refused what not everybody may ask.
 */
export type MatrixRow = [
  route: string,
  kind: 'page' | 'call',
  answers: string,
  make?: (cast: MatrixPeople) => Promise<MatrixRequest> | MatrixRequest,
  fresh?: 'fresh',
]

/** The rows of all domains: `app/<domain>/tests/matrix.ts`, beside the routes they are about. */
export async function loadMatrixRows(): Promise<MatrixRow[]> {
  const rows: MatrixRow[] = []
  for (const { name } of allModules()) {
    const file = app.makePath('app', name, 'tests/matrix.ts')
    if (!existsSync(file)) continue
    const { default: some } = (await import(file)) as { default: MatrixRow[] }
    rows.push(...some)
  }
  return rows
}

export async function createMatrixPeople(): Promise<MatrixPeople> {
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

/** The expected status for each of the `requesterRoles`. */
export function expectedStatuses([, , answers]: MatrixRow): number[] {
  const [signedOut, customer, ...more] = answers.split(' ').map(Number)
  const said = [signedOut, customer, ...more]
  if (said.length === requesterRoles.length) return said
  return [...said, customer, customer === signedOut ? signedOut : 403]
}

/** The browser of one of the askers, by the place in `requesterRoles`. */
export async function createRequester(cast: MatrixPeople, index: number): Promise<Visitor> {
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
export function createRequesters(cast: MatrixPeople): Promise<Visitor[]> {
  return Promise.all(requesterRoles.map((_asker, index) => createRequester(cast, index)))
}

/** Where a route leads with what is asked for. */
export function requestPath(pattern: string, { params, query }: MatrixRequest = {}): string {
  const path = pattern.replace(/:(\w+)\??/g, (_all, name: string) =>
    String(params?.[name] ?? 999_999_999)
  )
  return query ? `${path}?${query}` : path
}

/** What one of them is answered. */
export async function fetchStatus(
  visitor: Visitor,
  route: string,
  kind: MatrixRow[1],
  asked: MatrixRequest = {}
) {
  const [method, pattern] = route.split(' ')
  const address = requestPath(pattern, asked)
  if (kind === 'page') return (await visitor.page(address)).status
  if (method === 'GET') return (await visitor.get(address, asked.headers)).status
  return (await visitor.post(address, asked.body ?? {}, asked.headers)).status
}
