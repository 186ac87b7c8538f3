import type { Readable } from 'node:stream'

/** Stores bodies by number. A number is never reused. Written bodies are durable. */
export interface BodyStorage {
  /** If the source or the disk fails, or `signal` stops the write, nothing remains. */
  write(body: number, source: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<WrittenBody>
  /**
   * Makes each of `newBodies` a hard link to the body at the same index in `bodies`. Links can be deleted
   * independently. Returns false and creates nothing if the store has no links.
   */
  link?(bodies: number[], newBodies: number[]): Promise<boolean>
  /** Streams the bytes from `start` to `end`, both inclusive. */
  read(body: number, range: { start: number; end: number }): Readable
  /** Returns a body of `size` bytes, for the cache. */
  whole(body: number, size: number): Promise<Buffer>
  /** Lists all bodies. A folder store lists them oldest first. */
  all(): AsyncIterable<{ body: number; size: number; createdAt: Date }>
  /** Removes bodies. Ignores missing ones. */
  remove(bodies: number[]): Promise<void>
  /**
   * Checks free space.
   * @throws VaultError `full` if no more bodies should be written
   */
  assertRoom(): Promise<void>
  /** Returns whether so little space is free that deleted bodies must not wait for a backup. */
  isShort?(): Promise<boolean>
}

/** `md5` is hexadecimal. */
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
