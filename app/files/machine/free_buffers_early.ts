import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const COLLECTION_INTERVAL_BYTES = 6 * 1024 ** 2

setFlagsFromString('--expose-gc')
// Frees buffers in the same thread. A separate thread would free them later, and new buffers would need
// new memory until then.
setFlagsFromString('--no-concurrent-array-buffer-sweeping')
const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void

/**
 * Returns a function that counts a stream's bytes and runs a minor garbage collection every 6 MiB. V8 alone
 * lets 64 MB of buffers accumulate and then collects the whole heap. A minor collection takes about 1 ms.
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
