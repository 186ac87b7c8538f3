/** What one import may bring, in bytes. */
export const UPLOAD_LIMIT = 20 * 1024 ** 3

/** More than anybody needs, few enough that one account cannot fill the tables. */
export const MAX_DATABASES = 500
