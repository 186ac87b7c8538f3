import { vaultUrl } from '#config/services'

export const vaultApiUrl = vaultUrl

/** `{cdnUrl}/{key of the vault}/{name}` */
export const cdnUrl = vaultUrl

/** Path-style endpoint of the S3 API. */
export const s3Endpoint = vaultUrl

export const urlOfSignedPath = (path: string) => `${vaultUrl}${path}`
