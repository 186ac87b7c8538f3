/**
 * Object storage on PostgreSQL and a folder, over HTTP and the S3 protocol. This package does not import the
 * console.
 */
export { startVaultService } from './service.js'
export type { StartVaultServiceOptions, VaultService } from './service.js'
