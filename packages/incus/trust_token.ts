import { createHash } from 'node:crypto'
import { connect } from 'node:tls'
import type { TrustToken } from './certificates.ts'
import { createClientCertificate, toPem } from './self_signed_certificate.ts'
import type { CertificateAndKey } from './self_signed_certificate.ts'
import { IncusError } from './errors.ts'
import type { RemoteIncusTarget } from './transport.ts'

/** @throws IncusError `bad_request` if the text is not a trust token */
export function parseTrustToken(text: string): TrustToken {
  try {
    const token = JSON.parse(Buffer.from(text.trim(), 'base64').toString('utf8')) as TrustToken
    const { fingerprint, secret, addresses } = token
    const hasAddresses =
      Array.isArray(addresses) &&
      addresses.length > 0 &&
      addresses.every((address) => typeof address === 'string')
    if (/^[0-9a-f]{64}$/.test(fingerprint) && secret && hasAddresses) return token
  } catch {}
  throw new IncusError('bad_request', 400, 'This is not an Incus trust token')
}

/**
 * Finds a server whose certificate has the token's fingerprint, at the passed address or at the addresses in the token.
 * @throws IncusError `unreachable` if no such server responds
 */
export async function resolveTokenServer(
  token: TrustToken,
  name: string,
  options: { address?: string; keyPair?: CertificateAndKey } = {}
): Promise<RemoteIncusTarget> {
  const keyPair = options.keyPair ?? createClientCertificate(name)
  const addresses = options.address ? [options.address] : token.addresses
  let failure: unknown = new Error('the token names no address')
  for (const address of addresses) {
    try {
      const url = serverUrl(address)
      const certificate = await shownCertificate(url)
      if (createHash('sha256').update(certificate).digest('hex') === token.fingerprint) {
        return { url: url.origin, ...keyPair, serverCertificate: toPem(certificate) }
      }
      failure = new Error(`${url.host} shows a different certificate than the one in the token`)
    } catch (error) {
      failure = error
    }
  }
  throw IncusError.unreachable(addresses.join(', '), failure)
}

/** @throws Error if the address is not `name` or `name:port`, for example because the port is above 65535 */
function serverUrl(address: string): URL {
  const text = address.startsWith('https://') ? address : `https://${address}`
  if (!URL.canParse(text)) throw new Error(`"${address}" is not name or name:port`)
  const url = new URL(text)
  if (!url.port) url.port = '8443'
  return url
}

function shownCertificate(url: URL): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port),
      // This connection sends no secret. It only reads the certificate, to compare its fingerprint with the token's.
      rejectUnauthorized: false,
      timeout: 10_000,
    })
    socket.once('timeout', () => socket.destroy(new Error('no answer within 10 s')))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate) resolve(certificate.raw)
      else reject(new Error('no certificate was shown'))
    })
  })
}
