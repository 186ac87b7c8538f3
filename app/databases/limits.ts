/** Uploads only. Files on the instance have no limit. */
export const MAX_UPLOAD_BYTES = 500 * 1024 ** 2

/** Per account, so that one account cannot fill the tables. */
export const MAX_DATABASES = 500

/** A vault (bucket) stores a backup as one object of at most this size. */
export const MAX_VAULT_COPY_BYTES = 5 * 1024 ** 3

/** Manual backups of one database. They do not expire. */
export const MAX_MANUAL_BACKUPS = 20

/** Backups of one account on the managed servers, whose files are on the console's disk. */
export const MAX_MANAGED_BACKUP_BYTES = 20 * 1024 ** 3
