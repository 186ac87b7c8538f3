import { createRequire } from 'node:module'
import type ssh2 from 'ssh2'

const require = createRequire(import.meta.url)

/** Loads ssh2 only when it is needed. It uses 8 MB of memory, which processes without SSH should not hold. */
export function loadSsh2(): typeof ssh2 {
  return require('ssh2') as typeof ssh2
}
