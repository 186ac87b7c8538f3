import type { S3Call } from '../call.js'
import { S3Error } from '../errors.js'
import type { StoredObject } from '../../types.js'

/**
 * Maximum for each vault and serving thread. By default, rclone copies 16 parts at once, and the AWS CLI and
 * SDKs copy 10.
 */
const MAX_CONCURRENT_COPIES = 16
const copiesByVault = new Map<number, number>()

/**
 * Counts a copy of bytes within the vault until the returned function is called. A short request can read and
 * write 5 GB, so the number of concurrent copies is limited.
 * @throws S3Error SlowDown if the vault is already copying 16 objects or parts
 */
export function beginCopy({ vault: { id } }: S3Call): () => void {
  const running = copiesByVault.get(id) ?? 0
  if (running >= MAX_CONCURRENT_COPIES) {
    throw new S3Error(
      'SlowDown',
      `This vault is already copying ${running} objects or parts. Try again later, or copy fewer at once.`
    )
  }
  copiesByVault.set(id, running + 1)
  return () => {
    const left = copiesByVault.get(id)! - 1
    if (left) copiesByVault.set(id, left)
    else copiesByVault.delete(id)
  }
}

/** Reads an object as a limited copy. The stream fails when the client closes the connection. */
export async function* readForCopy(call: S3Call, from: StoredObject): AsyncGenerator<Buffer> {
  const end = beginCopy(call)
  try {
    yield* call.readWhileConnected(from)
  } finally {
    end()
  }
}
