import type { Readable } from 'node:stream'

/** A storage backend for object bodies. Each body has a number, which is never reused. A written body is durable. */
export interface BodyStorage {
  /** If the source or the disk fails, or `signal` stops the write, nothing of the body remains. */
  write(body: number, source: AsyncIterable<Buffer>, signal?: AbortSignal): Promise<WrittenBody>
  /**
   * Creates hard links: each of `newBodies` becomes a link to the body at the same index in `bodies`. Each link can be
   * deleted without affecting the others. If a link is not possible, returns false and leaves none of the new links.
   */
  link?(bodies: number[], newBodies: number[]): Promise<boolean>
  /** Streams the bytes from `start` to `end`, both inclusive. */
  read(body: number, range: { start: number; end: number }): Readable
  /** Returns the complete body, of `size` bytes. The cache uses it. */
  whole(body: number, size: number): Promise<Buffer>
  /** Lists all bodies, in no particular order. */
  all(): AsyncIterable<{ body: number; size: number; createdAt: Date }>
  /** Ignores bodies that do not exist. */
  remove(bodies: number[]): Promise<void>
  /** @throws Error if the backend as a whole fails, and not only some bodies */
  check(): Promise<void>
  /** @throws VaultError `full` if there is not enough space for another body */
  assertRoom(): Promise<void>
  /** Returns whether the disk is almost full. If it is, deleted bodies are removed without waiting for a backup. */
  isShort?(): Promise<boolean>
}

/** `md5` is hexadecimal. */
export interface WrittenBody {
  size: number
  md5: string
}

/** A body does not exist, or is shorter than the database says. */
export class BodyMissingError extends Error {
  constructor(readonly body: number) {
    super(`The body ${body} is missing`)
  }
}
