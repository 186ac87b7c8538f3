import { createRequire } from 'node:module'
import type ssh2 from 'ssh2'

const require = createRequire(import.meta.url)

/** On the first connection: ssh2 takes 8 MB, and an idle process does not need it. */
export function loadSsh2(): typeof ssh2 {
  return require('ssh2') as typeof ssh2
}
