import { createRequire } from 'node:module'
import type ssh2 from 'ssh2'

const require = createRequire(import.meta.url)

/**
 * Loads ssh2 only when the first connection is opened. It needs 8 MB of memory, which idle processes should not use.
 */
export function loadSsh2(): typeof ssh2 {
  return require('ssh2') as typeof ssh2
}
