/**
 * Test program that creates and drops native ciphers of ssh2, as happens when connections open and close: `node
 * --expose-gc cipher_probe.js COUNT`. If the native code was built with the headers of Node 24.19 or newer, the process
 * aborts (mscdex/ssh2#1511, nodejs/node#65446). Exits with 2 if the native code is missing.
 */
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'

interface NativeCiphers {
  AESGCMCipher: new (name: string, key: Buffer, iv: Buffer) => object
  AESGCMDecipher: new (name: string, key: Buffer, iv: Buffer) => object
  ChaChaPolyCipher: new (key: Buffer) => object
  ChaChaPolyDecipher: new (key: Buffer) => object
}

const require = createRequire(import.meta.url)

function load(): NativeCiphers {
  try {
    return require('ssh2/lib/protocol/crypto/build/Release/sshcrypto.node')
  } catch {
    process.exit(2)
  }
}

const native = load()
const count = Number(process.argv[2] ?? 5_000)
for (let cipherCount = 0; cipherCount < count; cipherCount += 4) {
  const [key, iv] = [randomBytes(32), randomBytes(12)]
  new native.AESGCMCipher('aes-256-gcm', key, iv)
  new native.AESGCMDecipher('aes-256-gcm', key, iv)
  new native.ChaChaPolyCipher(randomBytes(64))
  new native.ChaChaPolyDecipher(randomBytes(64))
  if (cipherCount % 2_000 === 0) globalThis.gc?.()
}
globalThis.gc?.()
