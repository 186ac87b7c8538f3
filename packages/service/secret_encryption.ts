import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts secrets that must be decrypted again (AES-256-GCM). */
export class SecretCipher {
  readonly #key: Buffer

  /** Services may share one secret. `purpose` gives each of them a different key. */
  constructor(purpose: string, secret: string) {
    if (secret.length < 32) throw new Error(`The key of ${purpose} needs at least 32 characters`)
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  }

  encrypt(text: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  decrypt(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')
  }
}
