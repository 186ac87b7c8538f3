import type { S3Call } from '../call.js'
import { S3Error } from '../errors.js'
import type { StoredObject } from '../../types.js'

/**
 * Maximum number of concurrent copies, for each vault in each serving thread. By default, rclone makes 16 copies at
 * once, and the AWS CLI and SDKs make 10.
 */
const MAX_CONCURRENT_COPIES = 16
const copiesByVault = new Map<number, number>()

/**
 * Counts one more running copy, until the returned function is called. The number of copies is limited, because one
 * small request can make the service read and write 5 GB.
 * @throws S3Error SlowDown if 16 objects or parts of the vault are already being copied
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

/** The copy counts towards the limit while the stream is read. The stream fails if the client disconnects. */
export async function* readForCopy(call: S3Call, from: StoredObject): AsyncGenerator<Buffer> {
  const end = beginCopy(call)
  try {
    yield* call.readWhileConnected(from)
  } finally {
    end()
  }
}
