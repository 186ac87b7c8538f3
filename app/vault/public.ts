/** What other domains may use of the vault. */
export {
  storeSystemFile,
  readSystemFile,
  removeSystemFiles,
  systemBucketProblem,
} from '#vault/system_bucket'
export { findVault } from '#vault/queries/vaults'
