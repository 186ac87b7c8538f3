import { Readable, Writable } from 'node:stream'
import { StatusError, type SftpClient } from './client.js'
import { packet, status, string, uint32, uint64 } from './wire.js'

/** An open file on a machine. */
export interface OpenFile {
  client: SftpClient
  handle: Buffer
  /** Puts the path and a reason into words. */
  explain(error: unknown): Promise<Error>
  close(): Promise<void>
}

const READ_BYTES = 128 * 1024
const READS_IN_FLIGHT = 8
/** Servers that answer in small pieces are asked for small pieces, never below this. */
const LEAST_READ_BYTES = 16 * 1024
const WRITE_BYTES = 64 * 1024
const WRITES_IN_FLIGHT = 16

interface Piece {
  parts: Buffer[]
  done: boolean
  last: boolean
}

/**
 * Reads with several requests on their way at once. Holds at most READS_IN_FLIGHT pieces, so a
 * reader that stops costs 1 MB and leaves the machine alone.
 */
export class SftpReadStream extends Readable {
  private file: OpenFile | null = null
  private pieces: Piece[] = []
  private readBytes = READ_BYTES
  private width = 2
  private full = false
  private ended = false

  constructor(
    private readonly open: () => Promise<OpenFile>,
    private position: number,
    private readonly end: number
  ) {
    super({ highWaterMark: READ_BYTES })
  }

  override _construct(callback: (error?: Error | null) => void): void {
    this.open().then(
      (file) => {
        this.file = file
        callback()
      },
      (error) => callback(error)
    )
  }

  override _read(): void {
    this.full = false
    this.deliver()
    this.ask()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.pieces = []
    if (!this.file) return callback(error)
    this.file.close().then(
      () => callback(error),
      () => callback(error)
    )
  }

  private ask(): void {
    if (!this.file || this.ended || this.destroyed) return
    while (this.pieces.length < this.width && this.position <= this.end && !this.full) {
      const length = Math.min(this.readBytes, this.end - this.position + 1)
      const piece: Piece = { parts: [], done: false, last: this.position + length > this.end }
      this.pieces.push(piece)
      void this.fetch(this.file, piece, this.position, length)
      this.position += length
    }
    if (this.pieces.length === 0 && this.position > this.end) this.finish()
  }

  private async fetch(file: OpenFile, piece: Piece, start: number, length: number): Promise<void> {
    try {
      let got = 0
      while (got < length && !this.destroyed) {
        const fields = [string(file.handle), uint64(start + got), uint32(length - got)]
        const { body } = await file.client.request(packet.read, fields)
        const bytes = body.string()
        if (bytes.length === 0) {
          piece.last = true
          break
        }
        piece.parts.push(bytes)
        if (got === 0 && bytes.length < length && bytes.length >= LEAST_READ_BYTES) {
          this.readBytes = Math.min(this.readBytes, bytes.length)
        }
        got += bytes.length
      }
    } catch (error) {
      if (!(error instanceof StatusError && error.code === status.eof)) {
        this.destroy(await file.explain(error))
        return
      }
      piece.last = true
    }
    piece.done = true
    this.width = Math.min(READS_IN_FLIGHT, this.width * 2)
    this.deliver()
    this.ask()
  }

  private deliver(): void {
    while (!this.full && !this.ended && this.pieces[0]?.done) {
      const piece = this.pieces.shift()!
      for (const part of piece.parts) {
        if (!this.push(part)) this.full = true
      }
      if (piece.last) this.finish()
    }
  }

  private finish(): void {
    if (this.ended) return
    this.ended = true
    this.pieces = []
    this.push(null)
  }
}

/**
 * Writes with several requests on their way at once; small chunks are joined while it waits. The
 * writer is held back once WRITES_IN_FLIGHT requests are unanswered or the connection is full.
 */
export class SftpWriteStream extends Writable {
  private file: OpenFile | null = null
  private position = 0
  private inFlight = 0
  private wake: (() => void) | null = null
  private failure: Error | null = null

  constructor(
    private readonly open: () => Promise<OpenFile>,
    private readonly beforeClose: (file: OpenFile) => Promise<void>
  ) {
    super({ highWaterMark: 256 * 1024, decodeStrings: true })
  }

  override _construct(callback: (error?: Error | null) => void): void {
    this.open().then(
      (file) => {
        this.file = file
        callback()
      },
      (error) => callback(error)
    )
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void) {
    this.store(chunk).then(() => callback(), callback)
  }

  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.store(Buffer.concat(chunks.map(({ chunk }) => chunk))).then(() => callback(), callback)
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.complete().then(() => callback(), callback)
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.failure ??= error ?? new Error('The stream was given up')
    this.wake?.()
    const file = this.file
    this.file = null
    if (!file) return callback(error)
    file.close().then(
      () => callback(error),
      () => callback(error)
    )
  }

  private async store(bytes: Buffer): Promise<void> {
    const file = this.file!
    for (let offset = 0; offset < bytes.length; offset += WRITE_BYTES) {
      while (this.inFlight >= WRITES_IN_FLIGHT && !this.failure) await this.answered()
      if (this.failure) throw this.failure
      const part = bytes.subarray(offset, offset + WRITE_BYTES)
      const fields = [string(file.handle), uint64(this.position), uint32(part.length), part]
      this.position += part.length
      this.inFlight++
      file.client.request(packet.write, fields).then(
        () => this.settle(null),
        async (error) => this.settle(await file.explain(error))
      )
      await file.client.drain()
    }
    if (this.failure) throw this.failure
  }

  private async complete(): Promise<void> {
    while (this.inFlight > 0 && !this.failure) await this.answered()
    if (this.failure) throw this.failure
    const file = this.file!
    try {
      await this.beforeClose(file)
      this.file = null
      await file.close()
    } catch (error) {
      throw await file.explain(error)
    }
  }

  private settle(failure: Error | null): void {
    this.inFlight--
    this.failure ??= failure
    this.wake?.()
    if (failure) this.destroy(failure)
  }

  private answered(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = () => {
        this.wake = null
        resolve()
      }
    })
  }
}
