/** Dumps that are already on the instance have no limit. */
export const MAX_UPLOAD_BYTES = 500 * 1024 ** 2

/** For each account, so that one account cannot fill Berth's tables. */
export const MAX_DATABASES = 500

/** A vault (bucket) stores a backup's copy as one object. */
export const MAX_VAULT_COPY_BYTES = 5 * 1024 ** 3

/** For each database. Manual backups do not expire. */
export const MAX_MANUAL_BACKUPS = 20

/** For all backups of an account on managed servers. Their files are on the console's disk. */
export const MAX_MANAGED_BACKUP_BYTES = 20 * 1024 ** 3
