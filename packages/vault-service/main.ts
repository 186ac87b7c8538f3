/** Object storage over PostgreSQL and a folder, with an address for browsers and one for S3's tools. Knows no console. */
export { startVaultService } from './service.js'
export type { StartVaultServiceOptions, VaultService } from './service.js'
