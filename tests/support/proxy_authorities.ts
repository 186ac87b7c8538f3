import type { Incus } from '#packages/incus/main'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

const AUTHORITIES_PATH = '/usr/local/share/authorities.pem'

/**
 * Makes npm and pip in an instance trust the certificate authorities of this machine. A proxy with an authority of its
 * own may intercept the registries. Does nothing if NODE_EXTRA_CA_CERTS is not set.
 */
export async function trustProxyAuthorities(incus: Incus, systemId: string): Promise<void> {
  const authorities = process.env.NODE_EXTRA_CA_CERTS
  if (!authorities || !existsSync(authorities)) return
  const push = (path: string, text: string | Buffer) =>
    incus.instances.pushFile(systemId, path, text, { mode: '0644' })
  await push(AUTHORITIES_PATH, await readFile(authorities))
  await push('/etc/pip.conf', `[global]\ncert = ${AUTHORITIES_PATH}\n`)
  await incus.instances.exec(
    systemId,
    ['npm', 'config', 'set', '--global', 'cafile', AUTHORITIES_PATH],
    { timeout: 60 }
  )
}
