import type { Readable } from 'node:stream'

/** A storage backend for object bodies, which have numbers. A number is never reused. A written body is durable. */
export interface BodyStorage {
  /** Writes a body. If the source or the disk fails, or `signal` stops the write, nothing remains. */
  write(body: number, source: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<WrittenBody>
  /**
   * Creates hard links: each of `newBodies` becomes a link to the body at the same index in `bodies`. Links can be
   * deleted independently. Returns false and creates nothing if the backend cannot link.
   */
  link?(bodies: number[], newBodies: number[]): Promise<boolean>
  /** Streams the bytes from `start` to `end`, both inclusive. */
  read(body: number, range: { start: number; end: number }): Readable
  /** Returns a whole body of `size` bytes, for the cache. */
  whole(body: number, size: number): Promise<Buffer>
  /** Lists all bodies. A folder store lists them oldest first. */
  all(): AsyncIterable<{ body: number; size: number; createdAt: Date }>
  /** Removes bodies. Ignores missing ones. */
  remove(bodies: number[]): Promise<void>
  /**
   * Checks the free space.
   * @throws VaultError `full` if no more bodies should be written
   */
  assertRoom(): Promise<void>
  /** Returns whether so little space is free that deleted bodies are removed without waiting for a backup. */
  isShort?(): Promise<boolean>
}

/** Result of a write. `md5` is hexadecimal. */
export interface WrittenBody {
  size: number
  md5: string
}

/** A body does not exist or is shorter than recorded. */
export class BodyMissingError extends Error {
  constructor(readonly body: number) {
    super(`The body ${body} is missing`)
  }
}
