import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes that flow between two collections. */
const COLLECTION_INTERVAL_BYTES = 6 * 1024 ** 2

setFlagsFromString('--expose-gc')
// On their own thread they are freed later, and the next ones are new memory that the kernel must give.
setFlagsFromString('--no-concurrent-array-buffer-sweeping')
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void

/**
 * Counts the bytes of a stream and has the buffers that they came in freed in time. V8 lets 64 MB of
 * them lie and then looks through the whole heap; looking at the youngest part alone takes about a
 * millisecond and keeps a transfer of any size below 48 MB (docs/decisions/0008).
 */
export function createMinorGcTrigger(): (bytes: number) => void {
  let since = 0
  return (bytes) => {
    since += bytes
    if (since < COLLECTION_INTERVAL_BYTES) return
    since = 0
    collect({ type: 'minor' })
  }
}
