import HostInstance from '#hosts/models/host_instance'

export function offlineHostCountQuery() {
  return HostInstance.query().where('status', 'offline').count('* as total')
}
