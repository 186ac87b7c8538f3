import { conflict } from '#core/app_error'
import { deny, type Permission, allow } from '#core/permission'
import type HostInstance from '#hosts/models/host_instance'

export type HostAction =
  'manage' | 'terminal' | 'maintenanceOn' | 'maintenanceOff' | 'check' | 'delete'

type HostState = Pick<HostInstance, 'status' | 'isLocal'>

/**
 * Whether something can be done with a host. `offline` is set by the health check, never by hand
 * (product, "Words and statuses").
 * @param instances how many instances live on it
 */
export function hostCan(action: HostAction, host: HostState, instances: number): Permission {
  if (host.status === 'deleted') return deny('The host is deleted.')
  switch (action) {
    case 'manage':
    case 'terminal':
      return host.status === 'active' ? allow : deny(`The host is ${host.status}.`)
    case 'maintenanceOn':
      if (host.status === 'pending') return deny('The host is still being prepared.')
      return host.status === 'maintenance' ? deny('The host is already in maintenance.') : allow
    case 'maintenanceOff':
      return host.status === 'maintenance' ? allow : deny('The host is not in maintenance.')
    case 'check':
      return allow
    case 'delete':
      return instances > 0
        ? deny(
            `${instances} server ${instances === 1 ? 'instance is' : 'instances are'} on this host. Delete ${instances === 1 ? 'it' : 'them'} first.`
          )
        : allow
  }
}

/** All verdicts at once, for pages. */
export function hostPermissions(
  host: HostState,
  instances: number
): Record<HostAction, Permission> {
  const actions: HostAction[] = [
    'manage',
    'terminal',
    'maintenanceOn',
    'maintenanceOff',
    'check',
    'delete',
  ]
  return Object.fromEntries(
    actions.map((action) => [action, hostCan(action, host, instances)])
  ) as Record<HostAction, Permission>
}

/** Refuses (409, with the reason) what is not possible now. */
export function assertHostCan(action: HostAction, host: HostState, instances: number): void {
  const { allowed, reason } = hostCan(action, host, instances)
  if (!allowed) throw conflict(reason!)
}
