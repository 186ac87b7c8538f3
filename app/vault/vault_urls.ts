import { vaultUrl } from '#config/services'

export const vaultApiUrl = vaultUrl

/** The URL of a public object is `{cdnUrl}/{key of the vault}/{name}`. */
export const cdnUrl = vaultUrl

/** Endpoint of the S3 API, with path-style URLs: the bucket name is not part of the host name. */
export const s3Endpoint = vaultUrl

export const urlOfSignedPath = (path: string) => `${vaultUrl}${path}`
