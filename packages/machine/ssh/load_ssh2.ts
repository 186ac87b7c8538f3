import { createRequire } from 'node:module'
import type ssh2 from 'ssh2'

const require = createRequire(import.meta.url)

/** Loaded by whoever connects first: it is 8 MB, and a process that waits needs none of it. */
export function loadSsh2(): typeof ssh2 {
  return require('ssh2') as typeof ssh2
}
