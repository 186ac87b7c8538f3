import type { Operation } from './operation.ts'
import { operationFromPath } from './operation.ts'
import type { Transport } from './transport.ts'

export interface TrustedCertificate {
  name: string
  type: 'client' | 'server' | 'metrics'
  restricted: boolean
  projects: string[]
  certificate: string
  fingerprint: string
}

export interface TrustToken {
  client_name: string
  /** SHA-256 of the server's certificate in hexadecimal. */
  fingerprint: string
  /** Addresses of the server, each as `host:port`. */
  addresses: string[]
  secret: string
  expires_at: string
}

export class Certificates {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async list(): Promise<TrustedCertificate[]> {
    const path = '/1.0/certificates'
    const query = { recursion: 1 }
    return (await this.#transport.request<TrustedCertificate[]>('GET', path, { query })).metadata
  }

  async trustMe(name: string, trustToken: string): Promise<void> {
    const json = { name, type: 'client', trust_token: trustToken }
    await this.#transport.request('POST', '/1.0/certificates', { json })
  }

  async createToken(clientName: string): Promise<string> {
    const json = { name: clientName, type: 'client', token: true }
    const answer = await this.#transport.request<{ metadata: Record<string, unknown> }>(
      'POST',
      '/1.0/certificates',
      { json }
    )
    const operation: Operation = operationFromPath(this.#transport, answer.operation)
    const { metadata } = await operation.state()
    const { addresses, fingerprint, secret, request, expiresAt } = metadata as {
      addresses: string[]
      fingerprint: string
      secret: string
      request?: { name?: string }
      expiresAt?: string
    }
    const token: TrustToken = {
      client_name: request?.name ?? clientName,
      fingerprint,
      addresses,
      secret,
      expires_at: expiresAt ?? '0001-01-01T00:00:00Z',
    }
    return Buffer.from(JSON.stringify(token)).toString('base64')
  }

  async delete(fingerprint: string): Promise<void> {
    await this.#transport.request('DELETE', `/1.0/certificates/${encodeURIComponent(fingerprint)}`)
  }
}
