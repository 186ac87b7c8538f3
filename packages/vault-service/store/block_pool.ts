/** Bytes of a block: what is written and hashed at once. */
export const BLOCK_BYTES = 1_048_576
/** Blocks of a thread: some are filled and hashed while others are written. */
const BLOCKS_PER_THREAD = 6

/** A piece of `BlockPool.memory` that begins at `at`. */
export interface Block {
  at: number
  bytes: Buffer
}

/**
 * Memory that two threads see, in blocks that are given to one upload after the other. A block is held while its
 * bytes go to the disk and never while more of them are waited for, so that slow senders keep none.
 */
export class BlockPool {
  readonly memory: SharedArrayBuffer
  readonly #free: Block[]
  readonly #waiting: ((block: Block) => void)[] = []

  constructor(count = BLOCKS_PER_THREAD) {
    const pages = (count * BLOCK_BYTES) / 65_536
    // Memory of this kind begins at a page, as O_DIRECT wants it; that of a plain buffer need not.
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
      .buffer as unknown as SharedArrayBuffer
    this.#free = Array.from({ length: count }, (_, index) => {
      const at = index * BLOCK_BYTES
      return { at, bytes: Buffer.from(this.memory, at, BLOCK_BYTES) }
    })
  }

  /** A free block, or the next one that will be; who came first gets it first. */
  async take(): Promise<Block> {
    return this.#free.pop() ?? new Promise((taken) => this.#waiting.push(taken))
  }

  give(block: Block): void {
    const next = this.#waiting.shift()
    if (next) next(block)
    else this.#free.push(block)
  }
}
