export const auditMessages = {
  'host.register': 'Registered this machine as host {}',
  'host.add': 'Added host {}',
  'host.update': 'Changed host {}',
  'host.maintenance': 'Changed maintenance of host {}',
  'host.delete': 'Removed host {}',
  'host.ssh': 'Set up the terminal of host {}',
  'host.active': 'Host {} is ready',
  'host.offline': 'Host {} went offline',
  'host.pending': 'Host {} is not ready',
}
