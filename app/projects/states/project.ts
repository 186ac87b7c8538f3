import type { Actor } from '#core/contracts/actor'
import type { ServerInstance } from '#instances/public'
import { conflict, forbidden } from '#core/app_error'
import { PROJECT_DELETED_MESSAGE, PROJECT_SUSPENDED_MESSAGE } from '#projects/errors'
import { databaseStacks, type ProjectStack, stacks } from '#projects/stacks'
import { type ProjectStatus, projectStatuses } from '#projects/statuses'

interface ProjectState {
  status: ProjectStatus
  instance: { status: string; name: string }
}

type Person = Pick<Actor, 'audience' | 'role'>

const STAFF_ONLY_STATUSES: ProjectStatus[] = ['suspended']

/** Only staff may set `suspended`. */
export function statusesActorMaySet({ audience }: Pick<Actor, 'audience'>): ProjectStatus[] {
  const all = Object.keys(projectStatuses) as ProjectStatus[]
  return audience === 'staff' ? all : all.filter((status) => !STAFF_ONLY_STATUSES.includes(status))
}

/**
 * Returns why this person cannot change site, processes and settings of the project. Null: allowed.
 */
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

/** @throws 403 for staff other than administrators, 409 if the project's state forbids changes */
export function assertMayChange(person: Person, project: ProjectState): void {
  if (person.audience === 'staff' && person.role !== 'administrator') {
    throw forbidden('Only administrators can change projects.')
  }
  const reason = changeRejectionReason(person, project)
  if (reason) throw conflict(reason)
}

/**
 * Checks a change that only affects Berth's database, so the instance may be stopped. Otherwise like
 * `assertMayChange`.
 */
export function assertMayChangeWhileOff(person: Person, { status, instance }: ProjectState): void {
  assertMayChange(person, { status, instance: { name: instance.name, status: 'active' } })
}

/** A failed deletion can be retried although the deleted project allows no other change. */
export function retryRejectionReason(person: Person, project: ProjectState): string | null {
  return changeRejectionReason(person, withoutEnd(project))
}

export function assertMayRetry(person: Person, project: ProjectState): void {
  assertMayChange(person, withoutEnd(project))
}

function withoutEnd({ status, instance }: ProjectState): ProjectState {
  return { status: status === 'deleted' ? 'inactive' : status, instance }
}

/**
 * A customer can delete a suspended project, but change nothing else about it.
 * @throws 403 if a customer sets `suspended`, and for staff other than administrators; 409 if the project's state
 * forbids changes
 */
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

/** Only regular instances have host ports. */
export function hasHostPorts({ instanceType }: Pick<ServerInstance, 'instanceType'>): boolean {
  return instanceType === 'regular'
}

/** Returns why visitors cannot reach projects on this instance by IP address and port. Null: they can. */
export function noHostPortsReason(instance: Pick<ServerInstance, 'instanceType'>): string | null {
  return hasHostPorts(instance)
    ? null
    : 'A shared instance has no ports of its own. Give the project a domain.'
}

/** Returns a warning if the instance allows the stack but is too small for it. */
export function stackWarning(
  stack: ProjectStack,
  { instanceType }: Pick<ServerInstance, 'instanceType'>
): string | null {
  if (instanceType !== 'shared' || !databaseStacks.includes(stack)) return null
  return `${stacks[stack].label} needs a database server. Do not install one on a shared instance, which is too small for it. Choose a regular instance.`
}
