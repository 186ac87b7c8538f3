import type { Visitor } from '#tests/support/people'
import { createHash } from 'node:crypto'
import { type ClientRequest, request } from 'node:http'

const MIB = 1024 ** 2
const PIECE_BYTES = 16 * MIB

const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')

/** Computes the hash in the same way as the page. */
function contentHash(content: Buffer): string {
  const lines: string[] = []
  for (let at = 0; at < content.length; at += PIECE_BYTES)
    lines.push(`${sha256(content.subarray(at, at + PIECE_BYTES))}  -\n`)
  return sha256(lines.join(''))
}

type Outcome = [status: number, code: string | undefined]

/**
 * A file that a browser tab uploads in parts. `query` replaces parameters that the tab would send.
 */
export class BrowserFile {
  constructor(
    readonly visitor: Visitor,
    readonly instanceId: number,
    readonly name: string,
    readonly content: Buffer,
    readonly query: Record<string, string> = {},
    readonly area = ''
  ) {}

  async progress() {
    const { status, json } = await this.visitor.post(this.#address('resume-upload'))
    const progress = (json.data?.progress ?? {}) as { offset?: number; hasOtherVersion?: boolean }
    const { offset, hasOtherVersion } = progress
    return { status, code: json.code, offset, hasOtherVersion }
  }

  async part(
    offset: number,
    end = this.content.length,
    body = this.content.subarray(offset, end)
  ): Promise<Outcome> {
    const response = await this.visitor.fetch(this.#address('upload-part', { offset, end }), {
      method: 'PATCH',
      headers: { 'content-type': 'application/octet-stream' },
      body: body as never,
    })
    const { code } = (await response.json()) as { code?: string }
    return [response.status, code]
  }

  /** Starts a part, sends its first `sent` bytes, and leaves the request open. */
  openPart(offset: number, sent: number, end = this.content.length): ClientRequest {
    const address = this.visitor.base + this.#address('upload-part', { offset, end })
    const headers = {
      ...this.visitor.headers,
      'content-type': 'application/octet-stream',
      'content-length': end - offset,
    }
    const call = request(address, { method: 'PATCH', agent: false, headers })
    call.on('error', () => {})
    call.write(this.content.subarray(offset, offset + sent))
    return call
  }

  async finish(): Promise<Outcome> {
    const hash = contentHash(this.content)
    const { status, json } = await this.visitor.post(this.#address('finish-upload'), { hash })
    return [status, json.code]
  }

  async discard(): Promise<number> {
    return (await this.visitor.post(this.#address('discard-upload'))).status
  }

  #address(call: string, numbers: Record<string, number> = {}): string {
    const query = new URLSearchParams({
      path: '/',
      name: this.name,
      size: String(this.content.length),
      modified: '1700000000000',
      head: sha256(this.content.subarray(0, MIB)),
      tab: 'a'.repeat(32),
      server_instance_id: String(this.instanceId),
      ...this.query,
    })
    for (const [key, value] of Object.entries(numbers)) query.set(key, String(value))
    return `${this.area}/file-manager/${call}?${query}`
  }
}
