import { vaultUrl } from '#config/services'

/** Where the vault's own API is: `POST /upload`, `GET /remove`. */
export const vaultHost = vaultUrl

/** What the public addresses of a vault's objects begin with; without a slash at the end. */
export const cdnHost = (key: string) => `${vaultUrl}/${key}`

/** What S3's tools are told as endpoint; buckets are a part of the path. */
export const s3Endpoint = vaultUrl

/** A signed path of the service as an address that anybody can open. */
export const signed = (path: string) => `${vaultUrl}${path}`
