import type { Actor } from '#core/contracts/actor'
import { notFound } from '#core/app_error'

type FindInstanceId = (actor: Actor, id: unknown) => Promise<number>

const resourceFinders = new Map<string, FindInstanceId>()

/** A domain above says on which instance its things live. Throws 404 for what a person may not reach. */
export function registerInstanceLookup(noun: string, find: FindInstanceId): void {
  resourceFinders.set(noun, find)
}

/** The id of the instance on which a thing lives; the same 404 for unknown and other people's things. */
export function getInstanceIdOfResource(actor: Actor, noun: string, id: unknown): Promise<number> {
  const find = resourceFinders.get(noun)
  return find ? find(actor, id) : Promise.reject(notFound(noun))
}

/** Something that can be given variables, e.g. a project its database's address. */
export interface AddEnvironmentVariablesRequest {
  actor: Actor
  /** As a call sends it. */
  id: unknown
  /** The instance that it has to live on; null for any of the account's. */
  instanceId: number | null
  variables: Record<string, string>
  ip?: string
}

interface VariablesReceiver {
  list(where: {
    accountId: number
    instanceId: number | null
  }): Promise<{ id: number; name: string }[]>
  give(what: AddEnvironmentVariablesRequest): Promise<void>
}

const variablesReceivers = new Map<string, VariablesReceiver>()

/** A domain above says how its things are given variables. Giving throws 404 for what a person may not reach. */
export function registerEnvironmentReceiver(noun: string, taker: VariablesReceiver): void {
  variablesReceivers.set(noun, taker)
}

/** The things of a kind that could be given some, by name. */
export async function listEnvironmentReceivers(
  noun: string,
  where: { accountId: number; instanceId: number | null }
): Promise<{ id: number; name: string }[]> {
  return (await variablesReceivers.get(noun)?.list(where)) ?? []
}

/** Gives one of them variables beside those that it has; others of the same name are replaced. */
export function addEnvironmentVariables(
  noun: string,
  what: AddEnvironmentVariablesRequest
): Promise<void> {
  const taker = variablesReceivers.get(noun)
  return taker ? taker.give(what) : Promise.reject(notFound(noun))
}

type Hook = (instanceId: number) => Promise<void>
const mariadbHooks: Hook[] = []

/** A domain above hears that MariaDB was installed on an instance, or a database made on it. */
export function onMariadbChanged(hook: Hook): void {
  mariadbHooks.push(hook)
}

export async function runMariadbChangedHooks(instanceId: number): Promise<void> {
  for (const hook of mariadbHooks) await hook(instanceId)
}
