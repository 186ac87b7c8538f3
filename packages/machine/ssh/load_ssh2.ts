import { createRequire } from 'node:module'
import type ssh2 from 'ssh2'

const require = createRequire(import.meta.url)

/** Loads ssh2 on the first connection: it takes 8 MB, which an idle process does not need. */
export function loadSsh2(): typeof ssh2 {
  return require('ssh2') as typeof ssh2
}
