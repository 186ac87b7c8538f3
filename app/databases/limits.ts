/** Maximum size of an upload (product, "Databases"). Files that are already on the instance have no limit. */
export const MAX_UPLOAD_BYTES = 500 * 1024 ** 2

/** Maximum number of databases per account, so that one account cannot fill the tables. */
export const MAX_DATABASES = 500

/** Maximum size of a backup in a vault, which stores it as one object. */
export const MAX_VAULT_COPY_BYTES = 5 * 1024 ** 3
