/** The API of the vault module for other modules. */
export {
  storeSystemFile,
  readSystemFile,
  removeSystemFiles,
  systemBucketProblem,
} from '#vault/system_bucket'
export { getVault } from '#vault/queries/vaults'
