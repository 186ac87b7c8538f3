import type { Actor } from '#core/contracts/actor'
import { notFound } from '#core/refusal'

type Find = (actor: Actor, id: unknown) => Promise<number>

const finders = new Map<string, Find>()

/** A domain above says on which instance its things live. Throws 404 for what a person may not reach. */
export function livesOn(noun: string, find: Find): void {
  finders.set(noun, find)
}

/** The id of the instance on which a thing lives; the same 404 for unknown and other people's things. */
export function instanceWith(actor: Actor, noun: string, id: unknown): Promise<number> {
  const find = finders.get(noun)
  return find ? find(actor, id) : Promise.reject(notFound(noun))
}

/** Something that can be given variables, e.g. a project its database's address. */
export interface Given {
  actor: Actor
  /** As a call sends it. */
  id: unknown
  /** The instance that it has to live on; null for any of the account's. */
  instanceId: number | null
  variables: Record<string, string>
  ip?: string
}

interface Taker {
  list(where: {
    accountId: number
    instanceId: number | null
  }): Promise<{ id: number; name: string }[]>
  give(what: Given): Promise<void>
}

const takers = new Map<string, Taker>()

/** A domain above says how its things are given variables. Giving throws 404 for what a person may not reach. */
export function takesVariables(noun: string, taker: Taker): void {
  takers.set(noun, taker)
}

/** The things of a kind that could be given some, by name. */
export async function thingsTakingVariables(
  noun: string,
  where: { accountId: number; instanceId: number | null }
): Promise<{ id: number; name: string }[]> {
  return (await takers.get(noun)?.list(where)) ?? []
}

/** Gives one of them variables beside those that it has; others of the same name are replaced. */
export function giveVariables(noun: string, what: Given): Promise<void> {
  const taker = takers.get(noun)
  return taker ? taker.give(what) : Promise.reject(notFound(noun))
}

type Hook = (instanceId: number) => Promise<void>
const hooks: Hook[] = []

/** A domain above hears that MariaDB was installed on an instance, or a database made on it. */
export function onMariadb(hook: Hook): void {
  hooks.push(hook)
}

export async function tellMariadb(instanceId: number): Promise<void> {
  for (const hook of hooks) await hook(instanceId)
}
