/**
 * Audit log messages by action. `{}` is replaced by the name of the resource. Messages never contain
 * passwords or queries.
 */
export const auditMessages = {
  'database.store': 'Created database {}',
  'database.drop': 'Dropped database {}',
  'database.import': 'Imported a file into database {}',
  'database.export': 'Exported database {}',
  'database.backup': 'Backed up database {}',
  'database.backup_download': 'Downloaded a backup of database {}',
  'database.backup_delete': 'Deleted a backup of database {}',
  'database.restore': 'Restored a backup of database {}',
  'database.plan': 'Changed the backup schedule of database {}',
  'database.query': 'Changed database {} with a query',
  'database.slow_reset': 'Reset the slow queries of database {}',
  'database.project': 'Added the connection of database {} to a project',
  'database.user_store': 'Added a user to database {}',
  'database.user_password': 'Changed the password of a database user on {}',
  'database.user_access': 'Changed the access of a user of database {}',
  'database.user_remote': 'Changed the remote access of a database user on {}',
  'database.user_remove': 'Removed a database user on {}',
  'database_server.install': 'Installed a database server on {}',
  'database_server.start': 'Started the database server on {}',
  'database_server.stop': 'Stopped the database server on {}',
  'database_server.restart': 'Restarted the database server on {}',
}
