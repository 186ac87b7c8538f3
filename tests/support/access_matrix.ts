import Member from '#accounts/models/member'
import { allModules } from '#core/modules'
import type Person from '#identity/models/person'
import { makeCustomer, makeStaff, makeVisitor, signIn, type Visitor } from '#tests/support/people'
import app from '@adonisjs/core/services/app'
import { existsSync } from 'node:fs'

/** Roles, in the same order as the expected statuses of a row. */
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
  developer: Person
  billing: Person
}

export interface MatrixRequest {
  /** Values of the route's `:name` parameters. Default: an id that does not exist. */
  params?: Record<string, string | number>
  query?: string
  body?: object
  headers?: Record<string, string>
}

/**
 * A row of the access matrix. It has the route's method and pattern; `page` or `call`; the expected statuses, in the
 * order of `requesterRoles`; and a function that creates the customer's resource. With `new resource`, each role gets
 * a new resource, because a successful request uses it up. With `new people`, each role also gets new people and
 * sessions, because a successful request changes or ends them. The statuses of the account's members may be omitted
 * (`expectedStatuses`). A developer then gets the customer's status. A billing member gets 403, or the customer's
 * status if signed-out people get it too.
 */
export type MatrixRow = [
  route: string,
  kind: 'page' | 'call',
  answers: string,
  make?: (cast: MatrixPeople) => Promise<MatrixRequest> | MatrixRequest,
  each?: 'new resource' | 'new people',
]

/** Loads the access matrix: the rows of all modules, from `app/<module>/tests/matrix.ts`. */
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

export function expectedStatuses([, , answers]: MatrixRow): number[] {
  const [signedOut, customer, ...more] = answers.split(' ').map(Number)
  const said = [signedOut, customer, ...more]
  if (said.length === requesterRoles.length) return said
  return [...said, customer, customer === signedOut ? signedOut : 403]
}

/**
 * Returns a visitor who has a role. Members have switched to the customer's account.
 * @param index index of the role in `requesterRoles`
 */
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

export function createRequesters(cast: MatrixPeople): Promise<Visitor[]> {
  return Promise.all(requesterRoles.map((_asker, index) => createRequester(cast, index)))
}

export function requestPath(pattern: string, { params, query }: MatrixRequest = {}): string {
  const path = pattern.replace(/:(\w+)\??/g, (_all, name: string) =>
    String(params?.[name] ?? 999_999_999)
  )
  return query ? `${path}?${query}` : path
}

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
  const send = method === 'PATCH' ? visitor.patch : visitor.post
  return (await send.call(visitor, address, asked.body ?? {}, asked.headers)).status
}
