import { closeSync, fstatSync, ftruncateSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import type { UsageMeter, Vault } from '../types.js'

/** Layout of a record: vault, account, day, requests (32 bits each), bytes in, bytes out (64 bits each). */
export const RECORD_BYTES = 32

/** Size of a journal file at which the next file is started. */
const MAX_FILE_BYTES = 8 * 1_024 ** 2

const RECORDS_PER_WRITE = 128

/** Maximum number of buffers with records that are kept in memory while writes to the disk fail. */
const MAX_UNWRITTEN_BUFFERS = 100_000

const MS_PER_DAY = 86_400_000

/** A record of a journal file. `day` is the number of days since 1970-01-01 UTC. `requests` is 0 in a correction. */
export interface MeteredRequest {
  vaultId: number
  accountId: number
  day: number
  requests: number
  bytesIn: number
  bytesOut: number
}

/**
 * Counts the usage of requests in journal files. Each record is written before the response, so counts are exact even
 * after kill -9. `usage_aggregator.ts` adds the records to the tables every second.
 */
export class Journal implements UsageMeter {
  readonly #records = Buffer.alloc(RECORD_BYTES * RECORDS_PER_WRITE)
  /**
   * Number of records in `#records` that have not been written yet. `#answers` contains the callbacks that wait for
   * that write.
   */
  #waiting = 0
  #answers: (() => void)[] = []
  #path!: string
  #file!: number
  #length!: number
  readonly #owed: Buffer[] = []

  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder

    this.#begin()
  }

  count(vault: Vault, bytesIn: number, bytesOut: number): void {
    this.#note(vault, 1, bytesIn, bytesOut)
    this.#write()
  }

  correct(vault: Vault, bytesOut: number): void {
    this.#note(vault, 0, 0, bytesOut)
    this.#write()
  }

  /** One write stores all records from the same turn of the event loop. */
  countReady(vault: Vault, bytesOut: number, answer: () => void): void {
    this.#note(vault, 1, 0, bytesOut)
    this.#answers.push(answer)
    if (this.#answers.length === 1) setImmediate(() => this.#write())
  }

  close(): void {
    this.#write()
    this.#end()
  }

  #end(): void {
    closeSync(this.#file)
    renameSync(this.#path, `${this.#path}.done`)
  }

  #note({ id, accountId }: Vault, requests: number, bytesIn: number, bytesOut: number): void {
    if (this.#waiting === RECORDS_PER_WRITE) this.#write()
    const [records, at] = [this.#records, this.#waiting++ * RECORD_BYTES]
    records.writeUInt32LE(id, at)
    records.writeUInt32LE(accountId, at + 4)
    records.writeUInt32LE(Math.floor(Date.now() / MS_PER_DAY), at + 8)
    records.writeUInt32LE(requests, at + 12)
    records.writeBigInt64LE(BigInt(bytesIn), at + 16)
    records.writeBigInt64LE(BigInt(bytesOut), at + 24)
  }

  #write(): void {
    const records = this.#records.subarray(0, this.#waiting * RECORD_BYTES)
    const answers = this.#answers
    this.#waiting = 0
    this.#answers = []
    if (records.length) this.#keep(records)
    for (const answer of answers) answer()
  }

  #keep(records: Buffer): void {
    try {
      // First writes the buffers that did not fit on a full disk. Ignores errors, because requests must be served even
      // if the disk is full.
      for (; this.#owed.length; this.#owed.shift()) this.#append(this.#owed[0])
      this.#append(records)
    } catch {
      if (this.#owed.length < MAX_UNWRITTEN_BUFFERS) this.#owed.push(Buffer.from(records))
      return
    }
    if (this.#length < MAX_FILE_BYTES) return
    this.#end()
    this.#begin()
  }

  #append(records: Buffer): void {
    const written = writeSync(this.#file, records)
    // If only a part of the buffer was written, removes that part. Otherwise later records could be read from wrong
    // positions.
    if (written < records.length) ftruncateSync(this.#file, this.#length)
    if (written < records.length) throw new Error('The records were cut short')
    this.#length += records.length
  }

  #begin(): void {
    this.#path = join(this.#folder, randomUUID())
    this.#file = openSync(this.#path, 'a', 0o600)
    this.#length = fstatSync(this.#file).size
  }
}

/** Ignores an incomplete last record. */
export function* parseJournalRecords(bytes: Buffer): Iterable<MeteredRequest> {
  for (let at = 0; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
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
