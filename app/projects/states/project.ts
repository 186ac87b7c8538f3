import type { Actor } from '#core/contracts/actor'
import type { ServerInstance } from '#instances/public'
import { conflict, forbidden } from '#core/app_error'
import { PROJECT_DELETED_MESSAGE, PROJECT_SUSPENDED_MESSAGE } from '#projects/errors'
import { databaseStacks, type Stack, stacks } from '#projects/stacks'
import { type ProjectStatus, projectStatuses } from '#projects/statuses'

/** What the rules look at. */
interface Facts {
  status: ProjectStatus
  instance: { status: string; name: string }
}

type Person = Pick<Actor, 'audience' | 'role'>

const STAFF_ONLY_STATUSES: ProjectStatus[] = ['suspended']

/** The statuses that a person may give a project: `suspended` is staff's. */
export function statusesFor({ audience }: Pick<Actor, 'audience'>): ProjectStatus[] {
  const all = Object.keys(projectStatuses) as ProjectStatus[]
  return audience === 'staff' ? all : all.filter((status) => !STAFF_ONLY_STATUSES.includes(status))
}

/** Why this person cannot change the project's site, processes or settings now; null when they can. */
export function changeProblem(person: Person, { status, instance }: Facts): string | null {
  if (status === 'deleted') return PROJECT_DELETED_MESSAGE
  if (status === 'suspended' && person.audience !== 'staff') return PROJECT_SUSPENDED_MESSAGE
  if (instance.status !== 'active') {
    return `The server instance ${instance.name} of this project is not active. Start it first.`
  }
  return null
}

/** Refuses (403 for what support asks for, 409 for what the state forbids). */
export function assertMayChange(person: Person, facts: Facts): void {
  if (person.audience === 'staff' && person.role !== 'administrator') {
    throw forbidden('Only administrators can change projects.')
  }
  const reason = changeProblem(person, facts)
  if (reason) throw conflict(reason)
}

/** As `assertMayChange` for what is only written down: the server instance may be off. */
export function assertMayChangeRecord(person: Person, { status, instance }: Facts): void {
  assertMayChange(person, { status, instance: { name: instance.name, status: 'active' } })
}

/** Why what failed cannot be tried again now: as for any change, but a deletion must be able to end. */
export function retryProblem(person: Person, facts: Facts): string | null {
  return changeProblem(person, withoutEnd(facts))
}

export function assertMayRetry(person: Person, facts: Facts): void {
  assertMayChange(person, withoutEnd(facts))
}

function withoutEnd({ status, instance }: Facts): Facts {
  return { status: status === 'deleted' ? 'inactive' : status, instance }
}

/** A suspended project may still be deleted by its customer; nothing else of it changes. */
export function assertMayBecome(person: Person, facts: Facts, next: ProjectStatus): void {
  if (!statusesFor(person as Actor).includes(next)) {
    throw forbidden('Only staff can suspend a project.')
  }
  const relieved = facts.status === 'suspended' && next === 'deleted'
  assertMayChange(person, relieved ? { status: 'inactive', instance: facts.instance } : facts)
}

/** Only regular instances have ports of their host. */
export function hasPorts({ instanceType }: Pick<ServerInstance, 'instanceType'>): boolean {
  return instanceType === 'regular'
}

/** Why a project of this instance cannot be reached by IP and port; null when it can. */
export function portProblem(instance: Pick<ServerInstance, 'instanceType'>): string | null {
  return hasPorts(instance)
    ? null
    : 'A shared instance has no ports of its own. Give the project a domain.'
}

/** What speaks against a stack on this instance, though it is not refused; null when nothing does. */
export function stackWarning(
  stack: Stack,
  { instanceType }: Pick<ServerInstance, 'instanceType'>
): string | null {
  if (instanceType !== 'shared' || !databaseStacks.includes(stack)) return null
  return `${stacks[stack].label} needs a database server. Do not install one on a shared instance, which is too small for it. Choose a regular instance.`
}
