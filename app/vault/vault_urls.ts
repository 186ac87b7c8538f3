import { vaultUrl } from '#config/services'

/** The vault's own API: `POST /upload`, `GET /remove`. */
export const vaultApiUrl = vaultUrl

/** `{cdnUrl}/{key of the vault}/{name}` */
export const cdnUrl = vaultUrl

/** For S3 clients. The bucket is part of the path. */
export const s3Endpoint = vaultUrl

export const urlOfSignedPath = (path: string) => `${vaultUrl}${path}`
