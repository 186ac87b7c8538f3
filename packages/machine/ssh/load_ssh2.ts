import { createRequire } from 'node:module'
import type ssh2 from 'ssh2'

const require = createRequire(import.meta.url)

/** Loads ssh2 at the first connection. It uses 8 MB, which idle processes do not need. */
export function loadSsh2(): typeof ssh2 {
  return require('ssh2') as typeof ssh2
}
