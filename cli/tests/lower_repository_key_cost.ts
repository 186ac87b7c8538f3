import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Key file of a restic repository (restic's design document, "Keys, Encryption and MAC"). */
interface KeyFile {
  N: number
  r: number
  p: number
  salt: string
  data: string
}

const CHEAP = { N: 2, r: 1, p: 1 }
const NONCE_BYTES = 16
const MAC_BYTES = 16
const MAX_SCRYPT_BYTES = 256 * 1024 ** 2

/**
 * Lowers the cost of the password check of a new restic repository, which takes half a second of CPU time in each run.
 * The cost makes guessing the password harder, which tests do not need, and restic has no option for it. The
 * repository's master key and data stay the same.
 */
export async function lowerRepositoryKeyCost(repository: string, password: string): Promise<void> {
  const folder = join(repository, 'keys')
  const [name] = await readdir(folder)
  const key = JSON.parse(await readFile(join(folder, name), 'utf8')) as KeyFile
  const salt = Buffer.from(key.salt, 'base64')
  const derive = ({ N, r, p }: typeof CHEAP) =>
    scryptSync(password, salt, 64, { N, r, p, maxmem: MAX_SCRYPT_BYTES })

  const sealed = Buffer.from(key.data, 'base64')
  const opened = createDecipheriv(
    'aes-256-ctr',
    derive(key).subarray(0, 32),
    sealed.subarray(0, NONCE_BYTES)
  ).update(sealed.subarray(NONCE_BYTES, -MAC_BYTES))
  const text = JSON.stringify({ ...key, ...CHEAP, data: seal(opened, derive(CHEAP)) })
  await rm(join(folder, name))
  await writeFile(join(folder, createHash('sha256').update(text).digest('hex')), text)
}

/** Encrypts a text in restic's format: AES-256-CTR and Poly1305-AES. */
function seal(plain: Buffer, derived: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES)
  const encrypted = createCipheriv('aes-256-ctr', derived.subarray(0, 32), nonce).update(plain)
  const aes = createCipheriv('aes-128-ecb', derived.subarray(32, 48), null)
  const mac = poly1305(encrypted, derived.subarray(48, 64), aes.update(nonce))
  return Buffer.concat([nonce, encrypted, mac]).toString('base64')
}

const littleEndian = (bytes: Buffer) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)

/** Computes Poly1305 (RFC 8439, section 2.5). */
function poly1305(message: Buffer, r: Buffer, s: Buffer): Buffer {
  const clamped = littleEndian(r) & 0x0ffffffc0ffffffc0ffffffc0fffffffn
  let sum = 0n
  for (let at = 0; at < message.length; at += 16) {
    const block = Buffer.concat([message.subarray(at, at + 16), Buffer.of(1)])
    sum = ((sum + littleEndian(block)) * clamped) % ((1n << 130n) - 5n)
  }
  const mac = BigInt.asUintN(128, sum + littleEndian(s))
  return Buffer.from(mac.toString(16).padStart(32, '0'), 'hex').reverse()
}
