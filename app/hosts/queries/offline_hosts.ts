import HostInstance from '#hosts/models/host_instance'

/** How many hosts are offline. */
export function offlineHostCountQuery() {
  return HostInstance.query().where('status', 'offline').count('* as total')
}
