/** Maximum upload. Files that are already on the instance have no limit. */
export const MAX_UPLOAD_BYTES = 500 * 1024 ** 2

/** Limit per account, so that one account cannot fill the tables. */
export const MAX_DATABASES = 500

/** A vault (bucket) stores a backup as one object. */
export const MAX_VAULT_COPY_BYTES = 5 * 1024 ** 3
