export const auditMessages = {
  'git.clone': 'Cloned a repository to {}',
  'git.deploy-key': 'Created a deploy key on {}',
  'git.trust-server': 'Confirmed the key of a git server on {}',
  'git.checkout': 'Checked out a branch on {}',
  'git.merge': 'Merged a branch on {}',
  'git.begin-merge': 'Started a merge with conflicts on {}',
  'git.solve-conflict': 'Resolved a conflict on {}',
  'git.finish-merge': 'Finished a merge on {}',
  'git.abort-merge': 'Aborted a merge on {}',
  'git.pull': 'Pulled a branch on {}',
  'git.remove-lock': 'Removed a git lock on {}',
  'git.delete-branch': 'Deleted a branch on {}',
}
