import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EdgeSettings } from './caddy_config.js'

/**
 * Reads the certificate (PEM) from Caddy's storage. After a rejected configuration, Caddy 2.6 no longer returns
 * it by its API.
 */
export function readLocalCaCertificate({
  storage,
}: Pick<EdgeSettings, 'storage'>): Promise<string> {
  return readFile(join(storage, 'pki/authorities/local/root.crt'), 'utf8')
}
