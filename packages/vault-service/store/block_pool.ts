/** Number of bytes that are written and hashed at once. */
export const BLOCK_BYTES = 1_048_576
/** Several blocks, so that one can be filled and hashed while another is written to disk. */
const BLOCKS_PER_THREAD = 6

/** A block of memory, at offset `at` of `BlockPool.memory`. */
export interface MemoryBlock {
  at: number
  bytes: Buffer
}

/**
 * Memory that two threads share, divided into blocks for uploads. An upload uses a block only while it fills and writes
 * it, never while it waits for data. So slow clients occupy no blocks.
 */
export class BlockPool {
  readonly memory: SharedArrayBuffer
  readonly #free: MemoryBlock[]
  readonly #waiting: ((block: MemoryBlock) => void)[] = []

  constructor(count = BLOCKS_PER_THREAD) {
    const pages = (count * BLOCK_BYTES) / 65_536
    // O_DIRECT requires memory that starts at a page boundary. WebAssembly memory does, but a Node buffer may not.
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
      .buffer as unknown as SharedArrayBuffer
    this.#free = Array.from({ length: count }, (_, index) => {
      const at = index * BLOCK_BYTES
      return { at, bytes: Buffer.from(this.memory, at, BLOCK_BYTES) }
    })
  }

  async take(): Promise<MemoryBlock> {
    return this.#free.pop() ?? new Promise((taken) => this.#waiting.push(taken))
  }

  give(block: MemoryBlock): void {
    const next = this.#waiting.shift()
    if (next) next(block)
    else this.#free.push(block)
  }
}
