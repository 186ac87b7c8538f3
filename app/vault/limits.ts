/** Maximum number of vaults per account, so that one account cannot use up the service. */
export const MAX_VAULTS = 50
/** Limit of one upload from a page (docs/product.md, "Vault"). */
export const MAX_UPLOAD_BYTES = 500 * 1024 ** 2
/** Folders and files together. */
export const OBJECTS_PER_PAGE = 200
export const MAX_OBJECTS_PER_CALL = 1_000
