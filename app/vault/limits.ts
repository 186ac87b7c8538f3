/** More than anybody needs, few enough that one account cannot fill the service. */
export const MAX_VAULTS = 50
/** What one upload of a page may bring (product, "Vault"), in bytes. */
export const MAX_UPLOAD_BYTES = 500 * 1024 ** 2
/** Folders and files of one page of a listing. */
export const OBJECTS_PER_PAGE = 200
/** Objects that one call can delete. */
export const MAX_OBJECTS_PER_CALL = 1_000
