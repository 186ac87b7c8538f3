import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EdgeSettings } from './caddy_config.js'

/**
 * PEM of the authority that Caddy signs with itself, read from its storage: after a refused
 * configuration Caddy 2.6 no longer answers for it.
 */
export function readLocalCaCertificate({
  storage,
}: Pick<EdgeSettings, 'storage'>): Promise<string> {
  return readFile(join(storage, 'pki/authorities/local/root.crt'), 'utf8')
}
