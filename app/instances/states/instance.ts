import type { InstanceType } from '#catalog/public'
import { conflict } from '#core/app_error'
import { denied, type Permission, ALLOWED } from '#core/permission'
import type { InstanceStatus } from '#instances/models/server_instance'
import type { DateTime } from 'luxon'

export type InstanceAction =
  | 'manage'
  | 'terminal'
  | 'start'
  | 'stop'
  | 'restart'
  | 'boost'
  | 'update'
  | 'resize'
  | 'suspend'
  | 'resume'
  | 'retry'
  | 'delete'
  | 'domains'
  | 'leadDomains'
  | 'setDefault'

export interface InstanceStateFields {
  status: InstanceStatus
  instanceType: InstanceType
  boostMode: boolean
  boostedUntil: DateTime | null
  boostAvailableAt: DateTime | null
  deletionAskedAt: DateTime | null
  host?: { status: string; respondsThoughOffline?: boolean } | null
}

/** Statuses in which each action is possible (docs/product.md, "Machines"). */
const allowedStatuses: Record<InstanceAction, InstanceStatus[]> = {
  manage: ['active'],
  terminal: ['active'],
  start: ['stopped'],
  stop: ['active'],
  restart: ['active'],
  boost: ['active'],
  update: ['active', 'stopped', 'suspended'],
  resize: ['active', 'stopped'],
  suspend: ['active', 'stopped'],
  resume: ['suspended'],
  retry: ['failed'],
  delete: ['pending', 'active', 'stopped', 'suspended', 'failed'],
  domains: ['active', 'stopped'],
  // For staff, who add domains directly to an instance. Customers of regular instances add domains to projects
  // instead.
  leadDomains: ['active', 'stopped'],
  setDefault: ['active', 'stopped'],
}

const reasonsByStatus: Record<InstanceStatus, string> = {
  pending: 'The instance is still being created.',
  active: 'The instance is running.',
  stopped: 'The instance is stopped. Start it first.',
  suspended: 'The instance is suspended.',
  failed: 'The instance could not be created. Try to create it again first.',
  deleted: 'The instance is deleted.',
}

/** The server and the pages' buttons use the same result. */
export function instanceCan(action: InstanceAction, instance: InstanceStateFields): Permission {
  if (instance.status === 'deleted') return denied(reasonsByStatus.deleted)
  if (instance.deletionAskedAt) {
    // After a failed deletion, only another deletion is possible.
    return action === 'delete' && instance.status === 'failed'
      ? ALLOWED
      : denied('The instance is being deleted.')
  }
  if (!allowedStatuses[action].includes(instance.status)) {
    if (action === 'start' && instance.status === 'active')
      return denied('The instance is already running.')
    if (action === 'stop' && instance.status === 'stopped')
      return denied('The instance is already stopped.')
    if (action === 'resume') return denied('The instance is not suspended.')
    if (action === 'retry')
      return denied('Creating the instance did not fail, so there is nothing to retry.')
    return denied(reasonsByStatus[instance.status])
  }
  if (action === 'domains' && instance.instanceType !== 'shared') {
    return denied(
      'Only shared instances have a domain list. On this instance, set the domain in the virtual host of a project.'
    )
  }
  if (instance.host?.status === 'offline' && needsHost.includes(action)) {
    return denied(
      instance.host.respondsThoughOffline
        ? 'The host has a problem. We are working on it.'
        : 'The host does not respond. We are working on it.'
    )
  }
  if (action === 'boost') return boostPermission(instance)
  return ALLOWED
}

/** Actions that are rejected while the host is offline, because they would wait forever. */
const needsHost: InstanceAction[] = ['start', 'stop', 'restart', 'boost']

/**
 * Actions that are rejected while another operation on the instance is unfinished. The other actions, such as a
 * deletion, are allowed.
 */
const waiting: InstanceAction[] = [
  'start',
  'stop',
  'restart',
  'suspend',
  'resume',
  'resize',
  'retry',
]

/** @param busy whether another operation on the instance is unfinished */
export function instancePermissions(
  instance: InstanceStateFields,
  busy = false
): Record<InstanceAction, Permission> {
  const permissionFor = (action: InstanceAction) => {
    const permission = instanceCan(action, instance)
    if (!busy || !permission.allowed || !waiting.includes(action)) return permission
    return denied('Another operation is running. Wait until it finishes.')
  }
  return Object.fromEntries(
    (Object.keys(allowedStatuses) as InstanceAction[]).map((action) => [
      action,
      permissionFor(action),
    ])
  ) as Record<InstanceAction, Permission>
}

/** @throws 409 with the reason */
export function assertInstanceCan(action: InstanceAction, instance: InstanceStateFields): void {
  const { allowed, reason } = instanceCan(action, instance)
  if (!allowed) throw conflict(reason!)
}

export interface BoostTimers {
  boostDelay: number
  boostTimer: number
}

/**
 * Returns seconds (docs/product.md, "Build Mode"). `boostDelay` is 0 while a boost runs, because the pause starts after
 * it.
 */
export function computeBoostTimers(
  {
    boostedUntil,
    boostAvailableAt,
  }: Pick<InstanceStateFields, 'boostedUntil' | 'boostAvailableAt'>,
  now = Date.now()
): BoostTimers {
  const left = (until: DateTime | null) =>
    until ? Math.max(0, Math.ceil((until.toMillis() - now) / 1_000)) : 0
  const boostTimer = left(boostedUntil)
  return { boostTimer, boostDelay: boostTimer > 0 ? 0 : left(boostAvailableAt) }
}

/** Null: a boost is possible. The page shows the countdowns separately. */
export function boostRejectionReasonIgnoringCountdowns({
  status,
  instanceType,
  boostMode,
  deletionAskedAt,
  host,
}: InstanceStateFields): string | null {
  const state = { status, instanceType, boostMode, deletionAskedAt, host }
  return instanceCan('boost', { ...state, boostedUntil: null, boostAvailableAt: null }).reason
}

function boostPermission(instance: InstanceStateFields): Permission {
  if (!instance.boostMode)
    return denied('The package of this instance does not include Build Mode.')
  const { boostDelay, boostTimer } = computeBoostTimers(instance)
  if (boostTimer > 0) return denied(`Boost Active For: ${boostTimer}s`)
  if (boostDelay > 0) return denied(`Boost Available In: ${boostDelay}s`)
  return ALLOWED
}
