import { createServerCertificate } from '#packages/incus/self_signed_certificate'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MailServiceOptions } from './service.js'

/**
 * Loads the configured PEM files. If none are configured, uses a self-signed certificate that is stored in the
 * service's folder.
 * @throws Error if only one of the two files is configured, or a file cannot be read
 */
export async function loadOrCreateCertificate(
  { folder, tlsCert, tlsKey, mailHost }: MailServiceOptions,
  log: (entry: object) => void
): Promise<{ cert: string; key: string }> {
  if (tlsCert && tlsKey) {
    const [cert, key] = await Promise.all([readFile(tlsCert, 'utf8'), readFile(tlsKey, 'utf8')])
    return { cert, key }
  }
  if (tlsCert || tlsKey) throw new Error('Set MAIL_TLS_CERT and MAIL_TLS_KEY together')
  log({
    level: 40,
    msg: 'STARTTLS uses a self-signed certificate, which clients cannot verify: set MAIL_TLS_CERT and MAIL_TLS_KEY',
  })
  const file = join(folder, 'certificate.json')
  const stored = await readFile(file, 'utf8').catch(() => undefined)
  if (stored) return JSON.parse(stored) as { cert: string; key: string }
  const newCertificate = createServerCertificate(mailHost ?? 'localhost')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(`${file}.new`, JSON.stringify(newCertificate), { mode: 0o600 })
  await rename(`${file}.new`, file)
  return newCertificate
}
