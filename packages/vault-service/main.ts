/**
 * Object storage over HTTP and the S3 protocol. Stores names in PostgreSQL, and bytes in a folder or a bucket, or in
 * PostgreSQL if they are small. This package imports no code of the console (Berth's web application).
 */
export { startVaultService } from './service.js'
export type { StartVaultServiceOptions, VaultService } from './service.js'
