import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EdgeSettings } from './caddy_config.js'

/**
 * Reads the root certificate (PEM) of Caddy's own authority from its storage. After a rejected configuration, Caddy's
 * API no longer returns it (Caddy 2.6).
 */
export function readLocalCaCertificate({
  storage,
}: Pick<EdgeSettings, 'storage'>): Promise<string> {
  return readFile(join(storage, 'pki/authorities/local/root.crt'), 'utf8')
}
