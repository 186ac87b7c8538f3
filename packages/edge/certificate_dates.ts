import { X509Certificate } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { EdgeSettings } from './caddy_config.js'

export interface EdgeCertificateDates {
  until: Date
  /**
   * Time at which Caddy stored the certificate. The certificate's own start date is unusable, because authorities
   * backdate it.
   */
  writtenAt: Date
}

/** Reads the certificates in Caddy's storage. If a domain has several, uses the one that expires last. */
export async function readEdgeCertificateDates(
  names: string[],
  { storage }: Pick<EdgeSettings, 'storage'>
): Promise<Map<string, EdgeCertificateDates>> {
  const certificates = new Map<string, EdgeCertificateDates>()
  const folder = join(storage, 'certificates')
  const issuers = await readdir(folder).catch(() => [])
  for (const name of names) {
    for (const issuer of issuers) {
      const certificate = await readCertificate(join(folder, issuer, name, `${name}.crt`))
      const known = certificates.get(name)
      if (certificate && !(known && known.until > certificate.until))
        certificates.set(name, certificate)
    }
  }
  return certificates
}

async function readCertificate(file: string): Promise<EdgeCertificateDates | null> {
  try {
    const { validTo } = new X509Certificate(await readFile(file))
    return { until: new Date(validTo), writtenAt: (await stat(file)).mtime }
  } catch {
    return null
  }
}
