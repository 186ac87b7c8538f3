import type { ServiceDatabase } from '../../service/database.js'

/** Loads what is sent, in groups without a timer. */
export class Contents {
  #wanted = new Map<string, ((raw: Buffer | undefined) => void)[]>()
  #loading = false

  constructor(private readonly database: ServiceDatabase) {}

  /** Undefined where it is gone; throws where the database is away. */
  async get(id: string): Promise<Buffer | undefined> {
    const raw = new Promise<Buffer | undefined>((done) => {
      const others = this.#wanted.get(id)
      if (others) others.push(done)
      else this.#wanted.set(id, [done])
    })
    if (!this.#loading) {
      this.#loading = true
      void this.load().finally(() => (this.#loading = false))
    }
    return raw
  }

  private async load(): Promise<void> {
    await new Promise(setImmediate)
    while (this.#wanted.size > 0) {
      const wanted = this.#wanted
      this.#wanted = new Map()
      const found = await this.database
        .rows<{ id: string; raw: Buffer }>('select id, raw from mail.contents where id = any($1)', [
          [...wanted.keys()],
        ])
        .catch((error: unknown) => error as Error)
      for (const [id, asking] of wanted) {
        for (const done of asking) {
          done(
            (found instanceof Error
              ? Promise.reject(found)
              : found.find((row) => row.id === id)?.raw) as never
          )
        }
      }
    }
  }
}

/** Lines end with CRLF on the wire (RFC 5321, 2.3.8); what is signed must be what is sent. */
export function wireLines(raw: Buffer): Buffer {
  const text = raw.toString('latin1')
  return /(^|[^\r])\n|\r(?!\n)/.test(text)
    ? Buffer.from(text.replaceAll(/\r\n|\r|\n/g, '\r\n'), 'latin1')
    : raw
}
