/** What is dropped at once when there is too much. */
const BLOCK_BYTES = 16 * 1024
const ESC_BYTE = 0x1b
const LINE_FEED_BYTE = 0x0a
/** Private modes of a terminal, set (`h`) or reset (`l`): other screen, mouse, paste marks, cursor. */
const PRIVATE_MODE_PATTERN = /\x1b\[\?([\d;]+)([hl])/g
/** Longest end of a block that may be the beginning of such a sequence, in bytes. */
const MAX_CUT_SEQUENCE_BYTES = 32
const RESET_SEQUENCE = '\x1bc'

/**
 * The last output of a shell, as raw bytes, so that a screen can be drawn again. It grows with what
 * there is, up to `limit` bytes and one block of 16 KB; the oldest is dropped first.
 */
export class ScrollbackBuffer {
  #blocks: Buffer[] = []
  /** Bytes used of the last block. */
  #used = 0
  #dropped = false
  /** What the dropped part left switched on or off. */
  readonly #modes = new Map<string, string>()
  #tail = Buffer.alloc(0)
  #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Bytes of memory that it takes. */
  get size(): number {
    return this.#blocks.length * BLOCK_BYTES
  }

  set limit(bytes: number) {
    this.#limit = bytes
    this.#trim()
  }

  /** Copies, since a chunk may be a small part of a large buffer, which would stay with it. */
  push(chunk: Buffer): void {
    for (let start = 0; start < chunk.length;) {
      if (!this.#blocks.length || this.#used === BLOCK_BYTES) {
        // Under a flood the block that was dropped is the next one, so that no memory is made anew.
        this.#blocks.push(this.#trim(1) ?? Buffer.allocUnsafeSlow(BLOCK_BYTES))
        this.#used = 0
      }
      const copied = chunk.copy(this.#blocks.at(-1)!, this.#used, start)
      start += copied
      this.#used += copied
    }
  }

  /** All that it has, to be written to any screen: a reset, the modes that hold, the output. */
  replay(): Buffer {
    const whole = Buffer.concat(
      this.#blocks.map((block, i) =>
        i === this.#blocks.length - 1 ? block.subarray(0, this.#used) : block
      )
    )
    const modes = [...this.#modes].map(([mode, state]) => `\x1b[?${mode}${state}`).join('')
    return Buffer.concat([
      Buffer.from(RESET_SEQUENCE + modes),
      whole.subarray(this.#dropped ? safeStart(whole) : 0),
    ])
  }

  /** Drops what is too much once `coming` more blocks are there; answers the block dropped last. */
  #trim(coming = 0): Buffer | undefined {
    let last: Buffer | undefined
    while (
      this.#blocks.length > 1 - coming &&
      (this.#blocks.length + coming - 1) * BLOCK_BYTES > this.#limit
    ) {
      last = this.#blocks.shift()!
      this.#drop(last)
    }
    return last
  }

  #drop(block: Buffer): void {
    this.#dropped = true
    if (block.includes(ESC_BYTE) || this.#tail.includes(ESC_BYTE)) {
      const text = Buffer.concat([this.#tail, block])
      for (const [, numbers, state] of text.toString('latin1').matchAll(PRIVATE_MODE_PATTERN)) {
        for (const mode of numbers.split(';')) this.#modes.set(mode, state)
      }
    }
    this.#tail = Buffer.from(block.subarray(-MAX_CUT_SEQUENCE_BYTES))
  }
}

/** Where something cut anywhere begins to make sense: after a line's end, or where a sequence begins. */
function safeStart(bytes: Buffer): number {
  const at = bytes.findIndex((byte) => byte === ESC_BYTE || byte === LINE_FEED_BYTE)
  if (at < 0) return 0
  return bytes[at] === ESC_BYTE ? at : at + 1
}
