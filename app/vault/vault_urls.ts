import { vaultUrl } from '#config/services'

/** Where the vault's own API is: `POST /upload`, `GET /remove`. */
export const vaultApiUrl = vaultUrl

/** Where the public addresses of objects are: `{cdnUrl}/{key of the vault}/{name}`. */
export const cdnUrl = vaultUrl

/** What S3's tools are told as endpoint; buckets are a part of the path. */
export const s3Endpoint = vaultUrl

/** A signed path of the service as an address that anybody can open. */
export const urlOfSignedPath = (path: string) => `${vaultUrl}${path}`
