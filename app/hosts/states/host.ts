import { conflict } from '#core/refusal'
import { no, type Verdict, yes } from '#core/verdict'
import type HostInstance from '#hosts/models/host_instance'

export type HostAction =
  'manage' | 'terminal' | 'maintenanceOn' | 'maintenanceOff' | 'check' | 'delete'

type HostFacts = Pick<HostInstance, 'status' | 'isLocal'>

/**
 * Whether something can be done with a host. `offline` is set by the health check, never by hand
 * (product, "Words and statuses").
 * @param instances how many instances live on it
 */
export function hostCan(action: HostAction, host: HostFacts, instances: number): Verdict {
  if (host.status === 'deleted') return no('It is deleted.')
  switch (action) {
    case 'manage':
    case 'terminal':
      return host.status === 'active' ? yes : no(`It is ${host.status}.`)
    case 'maintenanceOn':
      if (host.status === 'pending') return no('The host is still being prepared.')
      return host.status === 'maintenance' ? no('The host is already in maintenance.') : yes
    case 'maintenanceOff':
      return host.status === 'maintenance' ? yes : no('The host is not in maintenance.')
    case 'check':
      return yes
    case 'delete':
      return instances > 0
        ? no(`${instances} server ${instances === 1 ? 'instance lives' : 'instances live'} on it.`)
        : yes
  }
}

/** All verdicts at once, for pages. */
export function hostVerdicts(host: HostFacts, instances: number): Record<HostAction, Verdict> {
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
  ) as Record<HostAction, Verdict>
}

/** Refuses (409, with the reason) what is not possible now. */
export function assertHostCan(action: HostAction, host: HostFacts, instances: number): void {
  const { allowed, reason } = hostCan(action, host, instances)
  if (!allowed) throw conflict(reason!)
}
