/** More than anyone needs, but few enough that one account cannot fill the service. */
export const MAX_VAULTS = 50
/** Maximum size of one upload from a page (product, "Vault"), in bytes. */
export const MAX_UPLOAD_BYTES = 500 * 1024 ** 2
/** Maximum number of folders and files in one page of a listing. */
export const OBJECTS_PER_PAGE = 200
/** Maximum number of files that one request can delete. */
export const MAX_OBJECTS_PER_CALL = 1_000
