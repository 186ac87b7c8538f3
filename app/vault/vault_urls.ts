import { vaultUrl } from '#config/services'

export const vaultApiUrl = vaultUrl

/** Base URL of public objects. The URL of an object is `{cdnUrl}/{key of the vault}/{name}`. */
export const cdnUrl = vaultUrl

/** Endpoint of the S3 API. The bucket name is in the path of a URL, not in its host name. */
export const s3Endpoint = vaultUrl

export const urlOfSignedPath = (path: string) => `${vaultUrl}${path}`
