import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EdgeSettings } from './caddy_config.js'

/**
 * Reads the certificate (PEM) from Caddy's storage. Caddy's API no longer returns it after a rejected configuration
 * (Caddy 2.6).
 */
export function readLocalCaCertificate({
  storage,
}: Pick<EdgeSettings, 'storage'>): Promise<string> {
  return readFile(join(storage, 'pki/authorities/local/root.crt'), 'utf8')
}
