/** The shapes that the server sends; types only, nothing of it reaches the browser. */
export type {
  AdminVaultListPage,
  AdminVaultRow,
  CorsRule,
  DamageRow,
  FileRow,
  KeyRow,
  Objects,
  StoreName,
  UploadRow,
  UsageHistory,
  VaultListPage,
  VaultPage,
  VaultRow,
} from '#vault/transformers/pages'
