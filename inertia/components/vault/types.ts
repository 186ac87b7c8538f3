/** Type-only exports keep server code out of the browser bundle. */
export type {
  AdminVaultListPage,
  AdminVaultRow,
  CorsRule,
  DamagedObjectRow,
  FileRow,
  AccessKeyRow,
  ObjectListing,
  BodyStorageName,
  UnfinishedUploadRow,
  UsageHistory,
  VaultListPage,
  VaultPage,
  VaultRow,
} from '#vault/transformers/page_props'
