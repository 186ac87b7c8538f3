import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { BodyMissingError, type BodyStorage, type WrittenBody } from './body_storage.js'
import type { Database } from './database.js'

/** Maximum size of a body that is stored in the database. Such a body fits in one database page. */
export const MAX_ROW_BODY_BYTES = 8_000

/**
 * Stores small bodies as database rows. `ObjectWriter` writes them in the statement that creates the object. So one
 * commit is enough, without a file and a sync of its folder.
 */
export class RowBodyStorage implements BodyStorage {
  readonly #database: Database
  readonly #disk: Pick<BodyStorage, 'assertRoom'>

  /** @param disk folder storage on the same disk as the database. It is used to check the free space */
  constructor(database: Database, disk: Pick<BodyStorage, 'assertRoom'>) {
    this.#database = database
    this.#disk = disk
  }

  async write(body: number, source: AsyncIterable<Buffer>): Promise<WrittenBody> {
    const bytes = Buffer.concat(await Array.fromAsync(source))
    await this.#database.rows('insert into vault.bodies (body, bytes) values ($1, $2)', [
      body,
      bytes,
    ])
    return { size: bytes.length, md5: hash('md5', bytes) }
  }

  read(body: number, { start, end }: { start: number; end: number }): Readable {
    if (end < start) return Readable.from([])
    return Readable.from(this.#piece(body, start, end), { objectMode: false })
  }

  async whole(body: number, size: number): Promise<Buffer> {
    const row = await this.#database.row<{ bytes: Buffer }>(
      'select bytes from vault.bodies where body = $1',
      [body]
    )
    if (!row || row.bytes.length < size) throw new BodyMissingError(body)
    return row.bytes
  }

  async *all() {
    let after = 0
    for (;;) {
      const rows = await this.#database.rows<{ body: number; size: number; at: Date }>(
        `select body, length(bytes) as size, at from vault.bodies
         where body > $1 order by body limit 1000`,
        [after]
      )
      if (rows.length === 0) return
      for (const { body, size, at } of rows) yield { body, size, createdAt: at }
      after = rows.at(-1)!.body
    }
  }

  async remove(bodies: number[]): Promise<void> {
    await this.#database.rows('delete from vault.bodies where body = any ($1)', [bodies])
  }

  async check(): Promise<void> {
    await this.#database.row('select 1')
  }

  assertRoom(): Promise<void> {
    return this.#disk.assertRoom()
  }

  async *#piece(body: number, start: number, end: number): AsyncIterable<Buffer> {
    yield (await this.whole(body, end + 1)).subarray(start, end + 1)
  }
}
