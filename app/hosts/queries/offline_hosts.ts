import HostInstance from '#hosts/models/host_instance'

/** Queries the number of offline hosts. */
export function offlineHostCountQuery() {
  return HostInstance.query().where('status', 'offline').count('* as total')
}
