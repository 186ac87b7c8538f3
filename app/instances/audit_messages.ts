/** `{}` stands for the name of the resource. */
export const auditMessages = {
  'host.promises_corrected': 'Corrected the allocated resources of host {}',
  'instance.order': 'Ordered server instance {}',
  'instance.provisioned': 'Created server instance {}',
  'instance.retry': 'Retried creating server instance {}',
  'instance.start': 'Started server instance {}',
  'instance.stop': 'Stopped server instance {}',
  'instance.restart': 'Restarted server instance {}',
  'instance.restart_without_apps': 'Restarted server instance {} without its apps',
  'instance.suspend': 'Suspended server instance {}',
  'instance.resume': 'Resumed server instance {}',
  'instance.resize': 'Resized server instance {}',
  'instance.update': 'Changed server instance {}',
  'instance.boost': 'Boosted server instance {}',
  'instance.set_default': 'Made {} the default instance',
  'instance.delete': 'Requested deletion of server instance {}',
  'instance.deleted': 'Deleted server instance {}',
  'instance.leftover_removed': 'Removed remains of server instance {}',
  'instance.found_active': 'Found server instance {} running',
  'instance.found_stopped': 'Found server instance {} stopped',
  'instance.found_restored':
    'Found server instance {} restored; applied its ports, disk and sites again',
  'instance.found_restored_partly':
    'Found server instance {} restored, but could not apply all of its settings again yet. Berth tries again every minute',
  'instance.memory_full': 'Server instance {} ran out of memory, stopped and was started again',
  'instance.adopted': 'Reconnected server instance {} to its container',
}
