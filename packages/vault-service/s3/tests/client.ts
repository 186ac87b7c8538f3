import { createHash } from 'node:crypto'
import { S3, S3ServiceException, type S3ClientConfig } from '@aws-sdk/client-s3'
import { createTestVault, type CreatedVault, type TestService } from '../../tests/test_service.js'

export interface TestVault extends CreatedVault {
  accessKeyId: string
  secretKey: string
  client: S3
  /** Returns a client with another access key or secret. */
  as(key: { accessKeyId?: string; secretKey?: string }, more?: S3ClientConfig): S3
}

export async function createS3TestVault(
  service: Pick<TestService, 'url' | 'control'>
): Promise<TestVault> {
  const vault = await createTestVault(service)
  const { accessKeyId, secret: secretKey } = await service.control.call('makeKey', {
    id: vault.id,
    name: 'tests',
    readOnly: false,
  })
  const own = { accessKeyId, secretKey }
  const as: TestVault['as'] = (key, more) => createS3Client(service.url, { ...own, ...key }, more)
  return { ...vault, ...own, client: as({}), as }
}

export function createS3Client(
  endpoint: string,
  { accessKeyId, secretKey }: { accessKeyId: string; secretKey: string },
  more: S3ClientConfig = {}
): S3 {
  return new S3({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey: secretKey },
    maxAttempts: 1,
    ...more,
  })
}

/** Returns the error of a call. If the call succeeds, the code is `done`. */
export async function errorOf(
  work: Promise<unknown>
): Promise<{ code: string; status: number; message: string }> {
  try {
    await work
    return { code: 'done', status: 200, message: '' }
  } catch (error) {
    if (!(error instanceof S3ServiceException)) throw error
    const status = error.$metadata.httpStatusCode ?? 0
    return { code: error.name, status, message: error.message }
  }
}

export async function errorCodeOf(work: Promise<unknown>): Promise<string> {
  return (await errorOf(work)).code
}

export const sha256 = (bytes: Buffer | Uint8Array) =>
  createHash('sha256').update(bytes).digest('hex')

export const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
