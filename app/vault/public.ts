export {
  storeSystemFile,
  openSystemBucketFile,
  removeSystemFiles,
  systemBucketProblem,
} from '#vault/system_bucket'
export { getVault } from '#vault/queries/vaults'
