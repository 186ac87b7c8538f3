import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { IncusError, isIncusError } from './errors.ts'
import { Operation, operationFromPath } from './operation.ts'
import type { Transport } from './transport.ts'

export interface Image {
  fingerprint: string
  size: number
  type: 'container' | 'virtual-machine'
  architecture: string
  created_at: string
  uploaded_at: string
  properties: Record<string, string>
  aliases: { name: string; description: string }[]
}

export interface SplitImage {
  metadata: string
  /** Path of the root file system image. */
  rootfs: string
  properties?: Record<string, string>
}

export class Images {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async list(): Promise<Image[]> {
    const query = { recursion: 1 }
    return (await this.#transport.request<Image[]>('GET', '/1.0/images', { query })).metadata
  }

  async get(fingerprint: string): Promise<Image> {
    const path = `/1.0/images/${encodeURIComponent(fingerprint)}`
    return (await this.#transport.request<Image>('GET', path)).metadata
  }

  /** Returns null if the alias or its image does not exist. */
  async byAlias(alias: string): Promise<Image | null> {
    const path = `/1.0/images/aliases/${encodeURIComponent(alias)}`
    try {
      const { metadata } = await this.#transport.request<{ target: string }>('GET', path)
      return await this.get(metadata.target)
    } catch (error) {
      if (isIncusError(error, 'not_found')) return null
      throw error
    }
  }

  /** The operation's metadata contains the image's `fingerprint`. */
  async import({ metadata, rootfs, properties = {} }: SplitImage): Promise<Operation> {
    const boundary = `berth-${crypto.randomUUID()}`
    const body = Readable.from(multipart(boundary, { metadata, rootfs }))
    return this.#upload(body, `multipart/form-data; boundary=${boundary}`, properties)
  }

  /**
   * Copies an image to another server. The data passes through this process, because the two servers may be unable to
   * connect to each other. The operation's metadata contains the image's `fingerprint`.
   */
  async sendTo(target: Images, { fingerprint, properties }: Image): Promise<Operation> {
    const path = `/1.0/images/${encodeURIComponent(fingerprint)}/export`
    const { statusCode, headers, body } = await this.#transport.raw('GET', path)
    if (statusCode !== 200) {
      const answer = (await body.json().catch(() => ({}))) as { error?: string }
      throw IncusError.fromAnswer(statusCode, answer.error ?? 'The image cannot be read')
    }
    return target.#upload(body, String(headers['content-type']), properties)
  }

  async #upload(
    body: Readable,
    contentType: string,
    properties: Record<string, string>
  ): Promise<Operation> {
    const { operation } = await this.#transport.request('POST', '/1.0/images', {
      headers: {
        'content-type': contentType,
        'x-incus-properties': new URLSearchParams(properties).toString(),
      },
      body,
      timeout: 1800,
    })
    return operationFromPath(this.#transport, operation)
  }

  async delete(fingerprint: string): Promise<Operation> {
    const path = `/1.0/images/${encodeURIComponent(fingerprint)}`
    const { operation } = await this.#transport.request('DELETE', path)
    return operationFromPath(this.#transport, operation)
  }

  /** Creates the alias if necessary. */
  async setAlias(name: string, fingerprint: string, description = ''): Promise<void> {
    const path = `/1.0/images/aliases/${encodeURIComponent(name)}`
    try {
      await this.#transport.request('PUT', path, { json: { target: fingerprint, description } })
    } catch (error) {
      if (!isIncusError(error, 'not_found')) throw error
      const json = { name, target: fingerprint, description }
      await this.#transport.request('POST', '/1.0/images/aliases', { json })
    }
  }
}

async function* multipart(
  boundary: string,
  files: Record<'metadata' | 'rootfs', string>
): AsyncGenerator<Buffer> {
  for (const [name, path] of Object.entries(files)) {
    yield Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n` +
        'Content-Type: application/octet-stream\r\n\r\n'
    )
    for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
      yield chunk as Buffer
    }
    yield Buffer.from('\r\n')
  }
  yield Buffer.from(`--${boundary}--\r\n`)
}
