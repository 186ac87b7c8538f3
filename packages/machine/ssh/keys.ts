import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import type ssh2 from 'ssh2'
import { MachineError } from '../errors.js'
import { loadSsh2 } from './load_ssh2.js'

export interface HostKey {
  /** Key type such as `ssh-ed25519`. */
  type: string
  /** The key in base64, as in known_hosts. */
  key: string
  /** Fingerprint `SHA256:…`, as `ssh-keygen -l` prints it. */
  fingerprint: string
}

export interface SshKeyPair {
  /** Private key in OpenSSH format, without a passphrase. */
  privateKey: string
  /** One line for authorized_keys. */
  publicKey: string
}

/**
 * Host key algorithms in order of preference. Berth stores the machine's key for the first algorithm that the machine
 * supports.
 */
const HOST_KEY_ALGORITHMS = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
] as const satisfies ssh2.ServerHostKeyAlgorithm[]

export function generateKeyPair(comment = 'berth'): SshKeyPair {
  const { utils } = loadSsh2()
  for (;;) {
    const pair = utils.generateKeyPairSync('ed25519', { comment })
    // About one in 200 keys that ssh2 1.17 generates is malformed, and nobody could sign in with it.
    if (utils.parseKey(pair.private) instanceof Error) continue
    return { privateKey: pair.private, publicKey: pair.public }
  }
}

/** @param key a public key in wire format */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replaceAll('=', '')}`
}

/** Bulk transfers are slower without native cryptography. */
export function isNativeCryptoLoaded(): boolean {
  const require = createRequire(import.meta.url)
  const crypto: { bindingAvailable?: boolean } = require('ssh2/lib/protocol/crypto.js')
  return crypto.bindingAvailable === true
}

/** A machine's expected host key: base64, a known_hosts pair (`ssh-ed25519 AAAA…`) or `SHA256:…`. */
export class PinnedHostKey {
  readonly #wanted: string

  constructor(pinned: string) {
    const parts = pinned.trim().split(/\s+/)
    if (parts[0].startsWith('SHA256:')) {
      this.#wanted = parts[0].replaceAll('=', '')
      return
    }
    const base64 = parts.find((word) => word.startsWith('AAAA'))
    if (!base64) {
      throw new MachineError(
        'refused-host-key',
        'The stored host key of this machine is unreadable'
      )
    }
    const key = Buffer.from(base64, 'base64')
    this.#wanted = fingerprintOf(key)
    this.type = keyType(key)
  }

  readonly type: string | null = null

  matches(key: Buffer): boolean {
    return fingerprintOf(key) === this.#wanted
  }

  /**
   * Host key algorithms. That of the expected key comes first, because a machine has several host keys and sends the
   * key for the first common algorithm.
   */
  get algorithms(): ssh2.ServerHostKeyAlgorithm[] {
    const suits = (name: string) =>
      this.type === 'ssh-rsa' ? name.startsWith('rsa-') : name === this.type
    return [
      ...HOST_KEY_ALGORITHMS.filter(suits),
      ...HOST_KEY_ALGORITHMS.filter((name) => !suits(name)),
    ]
  }

  mismatchError(host: string, offered: Buffer): MachineError {
    return new MachineError(
      'refused-host-key',
      `${host} shows a different SSH host key than the stored one (stored ${this.#wanted}, ` +
        `shown ${fingerprintOf(offered)}). The machine may have been reinstalled, or somebody may ` +
        'intercept the connection. Nothing was sent.'
    )
  }
}

/**
 * Reads a machine's host key without signing in, so that it can be stored at registration.
 * @param target `timeout` in milliseconds
 * @throws MachineError `unreachable`
 */
export function scanHostKey(target: {
  host: string
  port?: number
  timeout?: number
}): Promise<HostKey> {
  const { host, port = 22, timeout = 10_000 } = target
  return new Promise((resolve, reject) => {
    const client = new (loadSsh2().Client)()
    const fail = (cause?: Error) => {
      client.destroy()
      reject(
        new MachineError('unreachable', `${host}:${port} does not show an SSH host key`, { cause })
      )
    }
    client.on('error', fail).on('close', () => fail())
    client.connect({
      host,
      port,
      username: 'berth-host-key-scan',
      readyTimeout: timeout,
      algorithms: { serverHostKey: [...HOST_KEY_ALGORITHMS] },
      hostVerifier: (key: Buffer) => {
        resolve({
          type: keyType(key),
          key: key.toString('base64'),
          fingerprint: fingerprintOf(key),
        })
        return false
      },
    })
  })
}

function keyType(key: Buffer): string {
  return key.subarray(4, 4 + key.readUInt32BE(0)).toString()
}
