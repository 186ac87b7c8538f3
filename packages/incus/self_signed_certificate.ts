import {
  createHash,
  createSign,
  generateKeyPairSync,
  randomBytes,
  X509Certificate,
} from 'node:crypto'

export interface CertificateAndKey {
  cert: string
  key: string
}

const VALIDITY_MS = 10 * 365 * 24 * 3600 * 1000
const ECDSA_WITH_SHA384_OID = der(0x30, oid('06082a8648ce3d040303'))
const COMMON_NAME_OID = oid('0603550403')
const EXTENDED_KEY_USAGE_OID = oid('0603551d25')
const CLIENT_AUTH_OID = oid('06082b06010505070302')
const SERVER_AUTH_OID = oid('06082b06010505070301')

/** Creates a client certificate with a new P-384 key, valid for ten years, like those of Incus's own client. */
export function createClientCertificate(name: string, now = new Date()): CertificateAndKey {
  return selfSigned(name, CLIENT_AUTH_OID, now)
}

/** Creates a certificate for a server whose certificate clients do not verify, as in opportunistic TLS. */
export function createServerCertificate(name: string, now = new Date()): CertificateAndKey {
  return selfSigned(name, SERVER_AUTH_OID, now)
}

function selfSigned(name: string, purpose: Buffer, now: Date): CertificateAndKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
  const subject = der(
    0x30,
    der(0x31, der(0x30, COMMON_NAME_OID, der(0x0c, Buffer.from(name, 'utf8'))))
  )
  const usage = der(0x30, EXTENDED_KEY_USAGE_OID, der(0x04, der(0x30, purpose)))
  const serial = randomBytes(16)
  serial[0] = (serial[0]! & 0x7f) | 0x40
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_WITH_SHA384_OID,
    subject,
    der(0x30, time(now), time(new Date(now.getTime() + VALIDITY_MS))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, usage))
  )
  const signature = createSign('sha384').update(body).sign(privateKey)
  const certificate = der(0x30, body, ECDSA_WITH_SHA384_OID, der(0x03, Buffer.from([0]), signature))
  return {
    cert: toPem(certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

/** Returns the SHA-256 as Incus prints it: lower-case hexadecimal without colons. */
export function certificateFingerprint(certificate: string): string {
  return createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex')
}

export function toPem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g)!
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function oid(encoded: string): Buffer {
  return Buffer.from(encoded, 'hex')
}

/** Formats a time as UTCTime until 2049 and as GeneralizedTime after that (RFC 5280, 4.1.2.5). */
function time(date: Date): Buffer {
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  const long = date.getUTCFullYear() >= 2050
  return der(long ? 0x18 : 0x17, Buffer.from(long ? text : text.slice(2)))
}
