import type { Actor } from '#core/contracts/actor'
import type { ServerInstance } from '#instances/public'
import { conflict, forbidden } from '#core/app_error'
import { PROJECT_DELETED_MESSAGE, PROJECT_SUSPENDED_MESSAGE } from '#projects/errors'
import { databaseStacks, type Stack, stacks } from '#projects/stacks'
import { type ProjectStatus, projectStatuses } from '#projects/statuses'

/** What the rules look at. */
interface ProjectState {
  status: ProjectStatus
  instance: { status: string; name: string }
}

type Person = Pick<Actor, 'audience' | 'role'>

const STAFF_ONLY_STATUSES: ProjectStatus[] = ['suspended']

/** The statuses that a person may give a project: `suspended` is staff's. */
export function statusesActorMaySet({ audience }: Pick<Actor, 'audience'>): ProjectStatus[] {
  const all = Object.keys(projectStatuses) as ProjectStatus[]
  return audience === 'staff' ? all : all.filter((status) => !STAFF_ONLY_STATUSES.includes(status))
}

/** Why this person cannot change the project's site, processes or settings now; null when they can. */
export function changeRejectionReason(
  person: Person,
  { status, instance }: ProjectState
): string | null {
  if (status === 'deleted') return PROJECT_DELETED_MESSAGE
  if (status === 'suspended' && person.audience !== 'staff') return PROJECT_SUSPENDED_MESSAGE
  if (instance.status !== 'active') {
    return `The server instance ${instance.name} of this project is not active. Start it first.`
  }
  return null
}

/** Refuses (403 for what support asks for, 409 for what the state forbids). */
export function assertMayChange(person: Person, project: ProjectState): void {
  if (person.audience === 'staff' && person.role !== 'administrator') {
    throw forbidden('Only administrators can change projects.')
  }
  const reason = changeRejectionReason(person, project)
  if (reason) throw conflict(reason)
}

/** As `assertMayChange` for what is only written down: the server instance may be off. */
export function assertMayChangeWhileOff(person: Person, { status, instance }: ProjectState): void {
  assertMayChange(person, { status, instance: { name: instance.name, status: 'active' } })
}

/** Why what failed cannot be tried again now: as for any change, but a deletion must be able to end. */
export function retryRejectionReason(person: Person, project: ProjectState): string | null {
  return changeRejectionReason(person, withoutEnd(project))
}

export function assertMayRetry(person: Person, project: ProjectState): void {
  assertMayChange(person, withoutEnd(project))
}

function withoutEnd({ status, instance }: ProjectState): ProjectState {
  return { status: status === 'deleted' ? 'inactive' : status, instance }
}

/** A suspended project may still be deleted by its customer; nothing else of it changes. */
export function assertMaySetStatus(
  person: Person,
  project: ProjectState,
  next: ProjectStatus
): void {
  if (!statusesActorMaySet(person as Actor).includes(next)) {
    throw forbidden('Only staff can suspend a project.')
  }
  const relieved = project.status === 'suspended' && next === 'deleted'
  assertMayChange(person, relieved ? { status: 'inactive', instance: project.instance } : project)
}

/** Only regular instances have ports of their host. */
export function hasHostPorts({ instanceType }: Pick<ServerInstance, 'instanceType'>): boolean {
  return instanceType === 'regular'
}

/** Why a project of this instance cannot be reached by IP and port; null when it can. */
export function noHostPortsReason(instance: Pick<ServerInstance, 'instanceType'>): string | null {
  return hasHostPorts(instance)
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
