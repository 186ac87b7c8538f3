export const auditMessages = {
  'project.store': 'Created project {}',
  'project.update': 'Changed project {}',
  'project.status': 'Changed the status of project {}',
  'project.virtual_host': 'Changed the virtual host of project {}',
  'project.default_site_edited':
    'Left the edited default site of {} unchanged. It serves only the host names in its ServerName; other host names get 404',
  'project.closed_after_restore':
    'Closed project {} again: its server instance was restored from before it was deactivated or deleted',
  'project.not_closed_after_restore':
    'Could not close the deleted project {} again after its server instance was restored. Stop its processes and remove its site by hand',
  'project.retry': 'Retried setting up project {}',
  'project.environment': 'Changed the environment variables of project {}',
  'project.environment_reveal': 'Viewed an environment variable of project {}',
  'process.start_new': 'Started a new process on the instance {}',
  'process.start': 'Started a process on the instance {}',
  'process.stop': 'Stopped a process on the instance {}',
  'process.restart': 'Restarted a process on the instance {}',
  'process.delete': 'Deleted a process on the instance {}',
}
