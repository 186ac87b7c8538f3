import type { Readable } from 'node:stream'

/** Stores bodies by number. A number is never reused, and written bodies are durable. */
export interface BodyStorage {
  /** If the source or the disk fails, or `signal` stops the write, nothing remains. */
  write(body: number, source: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<WrittenBody>
  /**
   * Makes each of `newBodies` a hard link to the body at the same index in `bodies`. Each can be deleted
   * independently. Returns false and creates nothing if the store cannot do this.
   */
  link?(bodies: number[], newBodies: number[]): Promise<boolean>
  /** Streams the bytes from `start` to `end`, both inclusive. */
  read(body: number, range: { start: number; end: number }): Readable
  /** Returns a body of `size` bytes, for the cache. */
  whole(body: number, size: number): Promise<Buffer>
  /** A folder store lists its folders in ascending order, so oldest first. */
  all(): AsyncIterable<{ body: number; size: number; createdAt: Date }>
  /** Ignores bodies that do not exist. */
  remove(bodies: number[]): Promise<void>
  /** @throws `full` if no more bodies should be written */
  assertRoom(): Promise<void>
}

/** `md5` is hexadecimal. */
export interface WrittenBody {
  size: number
  md5: string
}

/** The error that a body does not exist or is shorter than recorded. */
export class BodyMissingError extends Error {
  constructor(readonly body: number) {
    super(`The body ${body} is not there`)
  }
}
