/** `{}` stands for the name of the resource. Messages never contain a secret. */
export const auditMessages = {
  'vault.store': 'Created vault {}',
  'vault.delete': 'Deleted vault {}',
  'vault.update': 'Changed the settings of vault {}',
  'vault.suspend': 'Suspended vault {}',
  'vault.resume': 'Resumed vault {}',
  'vault.move': 'Moved vault {} to another store',
  'vault.secret': 'Read the secret key of vault {}',
  'vault.rotate': 'Changed the secret key of vault {}',
  'vault.key_store': 'Created an access key of vault {}',
  'vault.key_rotate': 'Changed an access key of vault {}',
  'vault.key_remove': 'Removed an access key of vault {}',
  'vault.folder_store': 'Created a folder in vault {}',
  'vault.object_delete': 'Deleted files from vault {}',
  'vault.share': 'Created a link to a file in vault {}',
  'vault.end_links': 'Revoked all links of vault {}',
  'vault.upload_abort': 'Deleted an unfinished upload to vault {}',
}
