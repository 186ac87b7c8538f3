/** Maximum size of an uploaded dump. Dumps that are already on the instance have no limit. */
export const MAX_UPLOAD_BYTES = 500 * 1024 ** 2

/** Maximum number of databases of an account, so that one account cannot fill Berth's tables. */
export const MAX_DATABASES = 500

/** Maximum size of a backup's copy, because a vault (bucket) stores it as one object. */
export const MAX_VAULT_COPY_BYTES = 5 * 1024 ** 3

/** Maximum number of manual backups of a database. Manual backups do not expire. */
export const MAX_MANUAL_BACKUPS = 20

/** Maximum size of all backups of an account on managed servers. Their files are on the console's disk. */
export const MAX_MANAGED_BACKUP_BYTES = 20 * 1024 ** 3
