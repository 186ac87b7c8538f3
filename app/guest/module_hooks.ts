import type { Actor } from '#core/contracts/actor'
import { notFound } from '#core/app_error'

type FindInstanceId = (actor: Actor, id: unknown) => Promise<number>

const resourceFinders = new Map<string, FindInstanceId>()

/**
 * Registers a function that finds the instance of a resource, such as a project. The module of the resource calls it,
 * because `guest` cannot import that module. `find` throws 404 if the person has no access to the resource.
 */
export function registerInstanceLookup(noun: string, find: FindInstanceId): void {
  resourceFinders.set(noun, find)
}

/** Throws the same 404 for unknown resources and those of other customers. */
export function getInstanceIdOfResource(actor: Actor, noun: string, id: unknown): Promise<number> {
  const find = resourceFinders.get(noun)
  return find ? find(actor, id) : Promise.reject(notFound(noun))
}

/** A request to add environment variables to a resource, for example a database's address to a project. */
export interface AddEnvironmentVariablesRequest {
  actor: Actor
  /** Unvalidated, from the request. */
  id: unknown
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

/**
 * Registers a kind of resource that accepts environment variables. `give` throws 404 if the person has no access to
 * the resource.
 */
export function registerEnvironmentReceiver(noun: string, taker: VariablesReceiver): void {
  variablesReceivers.set(noun, taker)
}

export async function listEnvironmentReceivers(
  noun: string,
  where: { accountId: number; instanceId: number | null }
): Promise<{ id: number; name: string }[]> {
  return (await variablesReceivers.get(noun)?.list(where)) ?? []
}

/** Adds variables to a resource, or replaces those of the same name. Other variables stay. */
export function addEnvironmentVariables(
  noun: string,
  what: AddEnvironmentVariablesRequest
): Promise<void> {
  const taker = variablesReceivers.get(noun)
  return taker ? taker.give(what) : Promise.reject(notFound(noun))
}

type Hook = (instanceId: number) => Promise<void>
const mariadbHooks: Hook[] = []

/** Registers a hook that runs after MariaDB was installed or one of its databases was created. */
export function onMariadbChanged(hook: Hook): void {
  mariadbHooks.push(hook)
}

export async function runMariadbChangedHooks(instanceId: number): Promise<void> {
  for (const hook of mariadbHooks) await hook(instanceId)
}
