/** What one upload may bring (product, section 9), in bytes; what lies on the instance already has no such limit. */
export const MAX_UPLOAD_BYTES = 500 * 1024 ** 2

/** More than anybody needs, few enough that one account cannot fill the tables. */
export const MAX_DATABASES = 500

/** The largest copy that a vault takes as one object, in bytes. */
export const MAX_VAULT_COPY_BYTES = 5 * 1024 ** 3
