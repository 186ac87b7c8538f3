/** More than anybody needs, few enough that one account cannot fill the service. */
export const MAX_VAULTS = 50
/** What one upload of a page may bring (product, "Vault"), in bytes. */
export const UPLOAD_LIMIT = 500 * 1024 ** 2
/** Folders and files of one page of a listing. */
export const PAGE_OF_OBJECTS = 200
/** Objects that one call can delete. */
export const MOST_AT_ONCE = 1_000
