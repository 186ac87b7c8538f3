import { vaultErrors, VaultError } from '../errors.js'
import { BLOCK_BYTES } from './block_pool.js'
import { BodyMissingError, type BodyStorage, type WrittenBody } from './body_storage.js'
import { FolderSync } from './folder_sync.js'
import { splitIntoBlocks, LargeFileWriter } from './large_file.js'
import { readBeginning, prependChunks } from './byte_source.js'
import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import {
  link,
  mkdir,
  open,
  opendir,
  readdir,
  stat,
  statfs,
  unlink,
  type FileHandle,
} from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'

/**
 * Number of bodies per subfolder. It is low enough for short directory listings, and high enough that one sync of a
 * folder covers many bodies.
 */
const BODIES_PER_FOLDER = 4_000
/**
 * Time for which a measurement of the free space is used. It is short, because concurrent uploads can fill the reserve
 * of 1 GB within a second.
 */
const FREE_SPACE_CACHE_MS = 100
/** The disk counts as almost full if the free space is below this multiple of the reserve. */
const SHORT_RESERVES = 5

/**
 * Stores bodies as files. A file is ignored until a database row refers to it, so it can be written under its final
 * name. Its bytes and its folder entry are synced to disk before the row is inserted.
 */
export class FolderBodyStorage implements BodyStorage {
  readonly #folders = new Map<string, Promise<FolderSync>>()
  readonly #large = new LargeFileWriter()
  #room?: { until: number; isEnough: Promise<boolean> }

  readonly #root: string
  readonly #reserve: number

  /** @param reserve bytes of disk space to leave free for other programs, such as the database */
  constructor(root: string, reserve = 1_073_741_824) {
    this.#root = root
    this.#reserve = reserve
  }

  async write(
    body: number,
    source: AsyncIterable<Buffer>,
    signal?: AbortSignal
  ): Promise<WrittenBody> {
    const sync = await this.#folderOf(body)
    const path = this.#pathOf(body)
    const coming = source[Symbol.asyncIterator]()
    try {
      const { first, isAll } = await readBeginning(coming, BLOCK_BYTES)
      const written = isAll
        ? await writeSynced(path, first)
        : await this.#large.write(
            path,
            this.#whileRoom(splitIntoBlocks(prependChunks(first, coming)), signal)
          )
      await sync.sync()
      return written
    } catch (error) {
      await unlink(path).catch(() => {})
      throw failure(error)
    } finally {
      await coming.return?.()
    }
  }

  async link(bodies: number[], newBodies: number[]): Promise<boolean> {
    let done = 0
    try {
      for (const [at, body] of newBodies.entries()) {
        const sync = await this.#folderOf(body)
        await link(this.#pathOf(bodies[at]), this.#pathOf(body))
        done++
        if (at === newBodies.length - 1 || folderName(newBodies[at + 1]) !== folderName(body))
          await sync.sync()
      }
      return true
    } catch (error) {
      await this.remove(newBodies.slice(0, done)).catch(() => {})
      // The file system has no hard links, or the file has its maximum number of links (65,000 on ext4). Or the source
      // is missing, which a later read reports.
      if (isCode(error, 'EMLINK', 'EPERM', 'ENOTSUP', 'ENOSYS', 'ENOENT')) return false
      throw failure(error)
    }
  }

  read(body: number, { start, end }: { start: number; end: number }): Readable {
    if (end < start) return Readable.from([])
    return Readable.from(this.#chunks(body, start, end), {
      objectMode: false,
      highWaterMark: BLOCK_BYTES,
    })
  }

  async whole(body: number, size: number): Promise<Buffer> {
    // Does not use Node's buffer pool, in which one small body would keep a whole slab in memory.
    const bytes = Buffer.allocUnsafeSlow(size)
    try {
      const file = await open(this.#pathOf(body), 'r')
      try {
        for (let at = 0; at < size;) {
          const { bytesRead } = await file.read(bytes, at, size - at, at)
          if (bytesRead === 0) throw new BodyMissingError(body)
          at += bytesRead
        }
      } finally {
        await file.close()
      }
    } catch (error) {
      throw isCode(error, 'ENOENT') ? new BodyMissingError(body) : failure(error)
    }
    return bytes
  }

  async *all() {
    for (const folder of (await readdir(this.#root)).toSorted()) {
      if (!/^[0-9a-f]{8}$/.test(folder)) continue
      for await (const { name } of await opendir(join(this.#root, folder))) {
        const stats = await stat(join(this.#root, folder, name)).catch(() => undefined)
        if (!stats || !/^[0-9]+$/.test(name)) continue
        // ctime and not mtime, because only ctime also changes when the file gets another hard link.
        yield { body: Number(name), size: stats.size, createdAt: stats.ctime }
      }
    }
  }

  async remove(bodies: number[]): Promise<void> {
    for (const body of bodies) {
      await unlink(this.#pathOf(body)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw failure(error)
      })
    }
  }

  /** @throws Error if the folder cannot be opened, for example because the process has too many open files */
  async check(): Promise<void> {
    await (await opendir(this.#root)).close()
  }

  async assertRoom(): Promise<void> {
    if (!this.#room || this.#room.until < Date.now()) {
      this.#room = { until: Date.now() + FREE_SPACE_CACHE_MS, isEnough: this.#hasRoom() }
    }
    if (!(await this.#room.isEnough)) throw vaultErrors.full()
  }

  async isShort(): Promise<boolean> {
    return (await this.#freeBytes()) < SHORT_RESERVES * this.#reserve
  }

  async #freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#root)
    return bavail * bsize
  }

  async #hasRoom(): Promise<boolean> {
    return (await this.#freeBytes()) > this.#reserve
  }

  /**
   * Checks the free space before each block, because many concurrent uploads can fill the disk, although there was
   * enough space when each of them started.
   */
  async *#whileRoom(
    blocks: AsyncIterable<Buffer[]>,
    signal?: AbortSignal
  ): AsyncGenerator<Buffer[], void> {
    for await (const block of blocks) {
      signal?.throwIfAborted()
      await this.assertRoom()
      yield block
    }
  }

  /**
   * Streams a body. Throws if the file is too short, because a client must not take half of an object for all of it.
   */
  async *#chunks(body: number, start: number, end: number): AsyncIterable<Buffer> {
    const file = createReadStream(this.#pathOf(body), { start, end, highWaterMark: 262_144 })
    let left = end - start + 1
    try {
      for await (const chunk of file as AsyncIterable<Buffer>) {
        left -= chunk.length
        yield chunk
      }
    } catch (error) {
      throw isCode(error, 'ENOENT') ? new BodyMissingError(body) : failure(error)
    }
    if (left > 0) throw new BodyMissingError(body)
  }

  #pathOf(body: number): string {
    return bodyPath(this.#root, body)
  }

  #folderOf(body: number): Promise<FolderSync> {
    const name = folderName(body)
    const known = this.#folders.get(name)
    if (known) return known
    const opening = this.#makeFolder(name)
    this.#folders.set(name, opening)
    if (this.#folders.size > 100) this.#folders.delete(this.#folders.keys().next().value!)
    opening.catch(() => this.#folders.delete(name))
    return opening
  }

  async #makeFolder(name: string): Promise<FolderSync> {
    const path = join(this.#root, name)
    try {
      await mkdir(path, { recursive: true, mode: 0o700 })
      await new FolderSync(this.#root).sync()
    } catch (error) {
      throw failure(error)
    }
    return new FolderSync(path)
  }
}

export function bodyPath(root: string, body: number): string {
  return join(root, folderName(body), String(body))
}

function folderName(body: number): string {
  return Math.floor(body / BODIES_PER_FOLDER)
    .toString(16)
    .padStart(8, '0')
}

/** Writes a file with O_DSYNC, so that each write returns only after the data is on disk. */
async function writeSynced(path: string, chunks: Buffer[]): Promise<WrittenBody> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_DSYNC } = constants
  const md5 = createHash('md5')
  for (const chunk of chunks) md5.update(chunk)
  const size = chunks.reduce((sum, { length }) => sum + length, 0)
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_DSYNC, 0o600)
  try {
    if (size) await writeWhole(file, chunks, size)
  } finally {
    await file.close()
  }
  return { size, md5: md5.digest('hex') }
}

async function writeWhole(file: FileHandle, chunks: Buffer[], size: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks)
  if (bytesWritten === size) return
  // On a disk that is getting full, a write may store only a part. Only the next write fails.
  const rest = Buffer.concat(chunks).subarray(bytesWritten)
  for (let at = 0; at < rest.length;) at += (await file.write(rest, at)).bytesWritten
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException)?.code ?? '')
}

function failure(error: unknown): Error {
  if (error instanceof VaultError || error instanceof BodyMissingError) return error
  if (isCode(error, 'ENOSPC', 'EDQUOT')) return vaultErrors.full()
  const isDisk = error instanceof Error && 'syscall' in error
  return isDisk ? Object.assign(vaultErrors.storeFailed(), { cause: error }) : (error as Error)
}
