import type { Readable } from 'node:stream'

/** Bytes by number. A number is written once and never again; what is written is durable. */
export interface BodyStorage {
  /** Writes all of the source. What it throws, or a failing disk, leaves nothing. */
  write(body: number, source: AsyncIterable<Buffer>): Promise<WrittenBody>
  /**
   * Makes each of `newBodies` the same body as the one of `bodies` in its place, without reading it: what becomes of one
   * is nothing to the other. False: this store cannot, and nothing was made.
   */
  link?(bodies: number[], newBodies: number[]): Promise<boolean>
  /** Bytes `start` to `end`, both included; `size` is that of the whole body. */
  read(body: number, range: { start: number; end: number }): Readable
  /** All bytes of a body, for those that are kept in memory. */
  whole(body: number, size: number): Promise<Buffer>
  /** Whole numbers that are there in ascending order of the folder that they are in, oldest folders first. */
  all(): AsyncIterable<{ body: number; size: number; createdAt: Date }>
  /** What is not there already is no error. */
  remove(bodies: number[]): Promise<void>
  /** Refuses (`refused.full`) when nothing should be written any more. */
  assertRoom(): Promise<void>
}

/** What was written: bytes, and their MD5 in hexadecimal. */
export interface WrittenBody {
  size: number
  md5: string
}

/** No body of that number, or a shorter one than there should be. */
export class BodyMissingError extends Error {
  constructor(readonly body: number) {
    super(`The body ${body} is not there`)
  }
}
