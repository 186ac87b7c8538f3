export const auditMessages = {
  'git.clone': 'Cloned a repository to the instance {}',
  'git.deploy-key': 'Created a deploy key on the instance {}',
  'git.trust-server': 'Confirmed the key of a git server on the instance {}',
  'git.checkout': 'Checked out a branch on the instance {}',
  'git.merge': 'Merged a branch on the instance {}',
  'git.begin-merge': 'Started a merge with conflicts on the instance {}',
  'git.solve-conflict': 'Resolved a conflict on the instance {}',
  'git.finish-merge': 'Finished a merge on the instance {}',
  'git.abort-merge': 'Aborted a merge on the instance {}',
  'git.pull': 'Pulled a branch on the instance {}',
  'git.remove-lock': 'Removed a git lock on the instance {}',
  'git.delete-branch': 'Deleted a branch on the instance {}',
}
