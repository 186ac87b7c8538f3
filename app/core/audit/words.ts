/**
 * What the audit log says of each action, in one sentence; `{}` is the thing's name. An action that
 * is not here is said by its own words.
 */
const sentences: Record<string, string> = {
  'person.register': 'Signed up',
  'person.sign_in': 'Signed in',
  'person.sign_out': 'Signed out',
  'person.end_session': 'Signed a device out',
  'person.sign_out_everywhere': 'Signed out everywhere',
  'person.update': 'Changed the profile of {}',
  'person.change_email': 'Changed the email to {}',
  'person.change_password': 'Changed the password of {}',
  'person.choose_password': 'Chose a password for {}',
  'staff.first_administrator': 'Set up the first administrator, {}',
  'staff.invite': 'Invited {} to the staff',
  'staff.invite_again': 'Invited {} to the staff again',
  'staff.update': 'Changed staff member {}',
  'staff.disable': 'Disabled staff member {}',
  'staff.enable': 'Enabled staff member {}',
  'package.add': 'Added package {}',
  'package.update': 'Changed package {}',
  'host.register': 'Registered this machine as host {}',
  'host.add': 'Added host {}',
  'host.update': 'Changed host {}',
  'host.maintenance': 'Changed maintenance of host {}',
  'host.delete': 'Removed host {}',
  'host.ssh': 'Set up the terminal of host {}',
  'host.active': 'Found host {} in order',
  'host.offline': 'Lost host {}',
  'host.pending': 'Found host {} not ready',
  'instance.order': 'Ordered server instance {}',
  'instance.provisioned': 'Finished making server instance {}',
  'instance.retry': 'Tried again to make server instance {}',
  'instance.start': 'Started server instance {}',
  'instance.stop': 'Stopped server instance {}',
  'instance.restart': 'Restarted server instance {}',
  'instance.restart_without_apps': 'Restarted server instance {} without its apps',
  'instance.suspend': 'Suspended server instance {}',
  'instance.resume': 'Resumed server instance {}',
  'instance.resize': 'Resized server instance {}',
  'instance.update': 'Changed server instance {}',
  'instance.domains': 'Changed the domains of server instance {}',
  'instance.boost': 'Boosted server instance {}',
  'instance.set_default': 'Made {} the default instance',
  'instance.delete': 'Asked to delete server instance {}',
  'instance.deleted': 'Deleted server instance {}',
  'instance.leftover_removed': 'Removed what was left of server instance {}',
  'instance.found_active': 'Found server instance {} running',
  'instance.found_stopped': 'Found server instance {} stopped',
  'instance.adopted': 'Took server instance {} up again',
  'terminal.open': 'Opened a terminal on {}',
  'terminal.close': 'Closed a terminal on {}',
  'terminal.refuse': 'Was refused a terminal on {}',
  'files.read': 'Read a file on {}',
  'files.download': 'Downloaded a file from {}',
  'files.store': 'Made a file or folder on {}',
  'files.update_file': 'Changed a file on {}',
  'files.upload_file': 'Uploaded a file to {}',
  'files.rename': 'Renamed a file on {}',
  'files.delete': 'Deleted a file on {}',
  'files.unzip_file': 'Unzipped a file on {}',
  'files.fix_ownership': 'Fixed the owners of files on {}',
  'git.clone': 'Cloned a repository to {}',
  'git.checkout': 'Checked a branch out on {}',
  'git.merge': 'Merged a branch on {}',
  'git.pull': 'Pulled a branch on {}',
  'git.delete-branch': 'Deleted a branch on {}',
  'project.store': 'Made project {}',
  'project.update': 'Changed project {}',
  'project.status': 'Changed the status of project {}',
  'project.virtual_host': 'Changed the virtual host of project {}',
  'project.retry': 'Tried again to set up project {}',
  'project.environment': 'Changed the environment of project {}',
  'project.environment_reveal': 'Looked at the environment of project {}',
  'process.start_new': 'Started a new process on {}',
  'process.start': 'Started a process on {}',
  'process.stop': 'Stopped a process on {}',
  'process.restart': 'Restarted a process on {}',
  'process.delete': 'Deleted a process on {}',
  'operation.retried': 'Retried stuck work: {}',
  'operation.given_up': 'Ended stuck work: {}',
}

/** An action's sentence with the name of the thing in it. */
export function sentenceOf(action: string, name: string): string {
  const known = Object.hasOwn(sentences, action) ? sentences[action] : null
  if (known) return known.replace('{}', () => name)
  const words = action.replace(/[._-]+/g, ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: ${name}`
}

/** The actions whose sentence has this text in it, in whichever case. */
export function actionsSaying(text: string): string[] {
  const part = text.toLowerCase()
  return Object.keys(sentences).filter((action) => sentences[action].toLowerCase().includes(part))
}
