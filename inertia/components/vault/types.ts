/** The shapes that the server sends; types only, nothing of it reaches the browser. */
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
