import { closeSync, fstatSync, ftruncateSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import type { Meter, Vault } from '../types.js'

/** Bytes of a record: vault, account, day, requests (32 bit each), bytes in, bytes out (64 bit each). */
export const RECORD = 32

/** A file is ended and the next one begun at this size, bytes. */
const LONGEST = 8 * 1_024 ** 2

/** Records kept in memory while the disk takes none. */
const MOST_OWED = 100_000

const DAY = 86_400_000

/** One counted request as it stands in the file. `day` counts from 1970-01-01 UTC. */
export interface Counted {
  vaultId: number
  accountId: number
  day: number
  requests: number
  bytesIn: number
  bytesOut: number
}

/**
 * Counts requests in a file, each before it is answered. What `write` has taken survives the end of the
 * process, so that a count is exact after kill -9; the file is added to the tables once a second (`fold.ts`).
 */
export class Journal implements Meter {
  readonly #record = Buffer.alloc(RECORD)
  #path!: string
  #file!: number
  #length!: number
  readonly #owed: Buffer[] = []

  constructor(private readonly folder: string) {
    this.begin()
  }

  count(vault: Vault, bytesIn: number, bytesOut: number): void {
    this.write(vault, 1, bytesIn, bytesOut)
  }

  correct(vault: Vault, bytesOut: number): void {
    this.write(vault, 0, 0, bytesOut)
  }

  close(): void {
    closeSync(this.#file)
    renameSync(this.#path, `${this.#path}.done`)
  }

  private write(
    { id, accountId }: Vault,
    requests: number,
    bytesIn: number,
    bytesOut: number
  ): void {
    const record = this.#record
    record.writeUInt32LE(id, 0)
    record.writeUInt32LE(accountId, 4)
    record.writeUInt32LE(Math.floor(Date.now() / DAY), 8)
    record.writeUInt32LE(requests, 12)
    record.writeBigInt64LE(BigInt(bytesIn), 16)
    record.writeBigInt64LE(BigInt(bytesOut), 24)
    try {
      // What a full disk did not take goes first: reading must not end because nothing can be written.
      for (; this.#owed.length; this.#owed.shift()) this.append(this.#owed[0])
      this.append(record)
    } catch {
      if (this.#owed.length < MOST_OWED) this.#owed.push(Buffer.from(record))
      return
    }
    if (this.#length < LONGEST) return
    this.close()
    this.begin()
  }

  private append(record: Buffer): void {
    const written = writeSync(this.#file, record)
    // A piece of a record would put all that follow it out of step.
    if (written < RECORD) ftruncateSync(this.#file, this.#length)
    if (written < RECORD) throw new Error('The record was cut short')
    this.#length += RECORD
  }

  private begin(): void {
    this.#path = join(this.folder, randomUUID())
    this.#file = openSync(this.#path, 'a', 0o600)
    this.#length = fstatSync(this.#file).size
  }
}

/** The records in these bytes; a last one that is not whole is left. */
export function* recordsIn(bytes: Buffer): Iterable<Counted> {
  for (let at = 0; at + RECORD <= bytes.length; at += RECORD) {
    yield {
      vaultId: bytes.readUInt32LE(at),
      accountId: bytes.readUInt32LE(at + 4),
      day: bytes.readUInt32LE(at + 8),
      requests: bytes.readUInt32LE(at + 12),
      bytesIn: Number(bytes.readBigInt64LE(at + 16)),
      bytesOut: Number(bytes.readBigInt64LE(at + 24)),
    }
  }
}
