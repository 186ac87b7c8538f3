import { conflict } from '#core/app_error'
import { denied, type Permission, ALLOWED } from '#core/permission'
import type HostInstance from '#hosts/models/host_instance'

export type HostAction =
  | 'manage'
  | 'terminal'
  | 'maintenanceOn'
  | 'maintenanceOff'
  | 'check'
  | 'delete'

type HostState = Pick<HostInstance, 'status' | 'isLocal'>

/**
 * Returns whether an action on the host is possible. No action lets staff choose `offline`, because only Berth's
 * checks set it.
 * @param instances number of instances on the host
 */
export function hostCan(action: HostAction, host: HostState, instances: number): Permission {
  if (host.status === 'deleted') return denied('The host is deleted.')
  switch (action) {
    case 'manage':
    case 'terminal':
      return host.status === 'active' ? ALLOWED : denied(`The host is ${host.status}.`)
    case 'maintenanceOn':
      if (host.status === 'pending') return denied('The host is still being prepared.')
      return host.status === 'maintenance' ? denied('The host is already in maintenance.') : ALLOWED
    case 'maintenanceOff':
      return host.status === 'maintenance' ? ALLOWED : denied('The host is not in maintenance.')
    case 'check':
      return ALLOWED
    case 'delete':
      return instances > 0
        ? denied(
            `${instances} server ${instances === 1 ? 'instance is' : 'instances are'} on this host. Delete ${instances === 1 ? 'it' : 'them'} first.`
          )
        : ALLOWED
  }
}

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

/** @throws 409 with the reason if the action is not possible */
export function assertHostCan(action: HostAction, host: HostState, instances: number): void {
  const { allowed, reason } = hostCan(action, host, instances)
  if (!allowed) throw conflict(reason!)
}
