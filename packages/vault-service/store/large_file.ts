import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { BLOCK_BYTES, BlockPool } from './block_pool.js'
import type { WrittenBody } from './body_storage.js'
import { Md5Thread, type Md5Hasher } from './md5_thread.js'

/** O_DIRECT requires sizes and offsets that are multiples of the sector size. This value works for any disk. */
const SECTOR_BYTES = 4_096

const { O_WRONLY, O_CREAT, O_EXCL, O_DIRECT } = constants

/**
 * Writes bodies larger than one block, while a second thread hashes the same memory. Bypasses the page cache, because
 * these bytes would evict more useful data, and copying them would take as much time as writing them.
 */
export class LargeFileWriter {
  #tools?: { blocks: BlockPool; thread: Md5Thread }

  /** Syncs the file. The caller must sync the folder. */
  async write(path: string, source: AsyncIterable<Buffer[]>): Promise<WrittenBody> {
    // Created for the first large body, because a service that only reads needs neither the blocks nor the thread.
    const { blocks, thread } = (this.#tools ??= makeTools())
    const md5 = thread.begin()
    const file = new DirectFile(path)
    let size = 0
    let last: Promise<void> | undefined
    try {
      await file.open(O_CREAT | O_EXCL)
      for await (const chunks of source) {
        const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
        await last
        last = put({ blocks, file, md5 }, { chunks, at: size, length })
        last.catch(() => {})
        size += length
      }
      await last
      await file.end(size)
      return { size, md5: await md5.end() }
    } catch (error) {
      await last?.catch(() => {})
      md5.end().catch(() => {})
      throw error
    } finally {
      await file.close()
    }
  }

  /** Stops the thread. The next large body starts a new one. */
  async stop(): Promise<void> {
    await this.#tools?.thread.stop()
  }
}

function makeTools() {
  const blocks = new BlockPool()
  return { blocks, thread: new Md5Thread(blocks.memory) }
}

async function put(
  { blocks, file, md5 }: { blocks: BlockPool; file: DirectFile; md5: Md5Hasher },
  { chunks, at, length }: { chunks: Buffer[]; at: number; length: number }
): Promise<void> {
  const block = await blocks.take()
  try {
    let filled = 0
    // `fill` instead of `copy`, which is ten times slower on memory that threads share (ECMAScript,
    // SetTypedArrayFromTypedArray).
    for (const chunk of chunks) block.bytes.fill(chunk, filled, (filled += chunk.length))
    const hashing = md5.update(block.at, length)
    // Waits for both even if one of them fails, because both use the block's memory.
    const outcomes = await Promise.allSettled([hashing, file.write(block.bytes, at, length)])
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  } finally {
    blocks.give(block)
  }
}

/** A file that is written in whole sectors without the page cache, if the file system supports O_DIRECT. */
class DirectFile {
  #file?: FileHandle
  #isDirect = true

  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  async open(flags: number): Promise<void> {
    const direct = this.#isDirect ? O_DIRECT : 0
    try {
      this.#file = await open(this.#path, O_WRONLY | flags | direct, 0o600)
    } catch (error) {
      if (!this.#isRefused(error)) throw error
      // A file system that rejects O_DIRECT may have created the file nevertheless (open(2)). So the second attempt to
      // open it must not use O_EXCL.
      this.#isDirect = false
      this.#file = await open(this.#path, O_WRONLY | (flags & ~O_EXCL), 0o600)
    }
  }

  /**
   * Writes the first `length` bytes. Only the last write may have a length that is not a multiple of the sector
   * size.
   */
  async write(bytes: Buffer, at: number, length: number): Promise<void> {
    const end = this.#isDirect ? Math.ceil(length / SECTOR_BYTES) * SECTOR_BYTES : length
    // Clears the rest of the last sector, because the block may still contain bytes of another body there.
    bytes.fill(0, length, end)
    try {
      for (let done = 0; done < end;) {
        done += (await this.#file!.write(bytes, done, end - done, at + done)).bytesWritten
      }
    } catch (error) {
      if (!this.#isRefused(error)) throw error
      this.#isDirect = false
      await this.close()
      await this.open(0)
      await this.write(bytes, at, length)
    }
  }

  /** Truncates the file to `size`, which removes the padding of the last sector. Then syncs it to disk. */
  async end(size: number): Promise<void> {
    if (size % SECTOR_BYTES) await this.#file!.truncate(size)
    await this.#file!.datasync()
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  #isRefused(error: unknown): boolean {
    return this.#isDirect && (error as NodeJS.ErrnoException).code === 'EINVAL'
  }
}

/** All blocks have `BLOCK_BYTES` bytes, except that the last one may be shorter. */
export async function* splitIntoBlocks(
  source: AsyncIterable<Buffer>
): AsyncGenerator<Buffer[], void> {
  let block: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    let rest = chunk
    while (length + rest.length >= BLOCK_BYTES) {
      const part = rest.subarray(0, BLOCK_BYTES - length)
      rest = rest.subarray(part.length)
      yield [...block, part]
      block = []
      length = 0
    }
    if (!rest.length) continue
    block.push(rest)
    length += rest.length
  }
  if (length) yield block
}
