/** Old output is dropped in whole blocks. */
const BLOCK_BYTES = 16 * 1024
const ESC_BYTE = 0x1b
const LINE_FEED_BYTE = 0x0a
/**
 * Matches the sequences that set (`h`) or reset (`l`) private terminal modes, such as alternate screen, mouse,
 * bracketed paste and cursor.
 */
const PRIVATE_MODE_PATTERN = /\x1b\[\?([\d;]+)([hl])/g
/** Bytes of a dropped block's end that are kept, to recognize a mode sequence that continues in the next block. */
const MAX_CUT_SEQUENCE_BYTES = 32
const RESET_SEQUENCE = '\x1bc'

/**
 * The latest output of a shell as raw bytes, from which a screen can be redrawn. Stores up to `limit` bytes plus one
 * block. Drops the oldest output first.
 */
export class ScrollbackBuffer {
  #blocks: Buffer[] = []
  /** Bytes used in the last block. */
  #used = 0
  #dropped = false
  /** Last state of each terminal mode that the dropped output has changed: `h` (set) or `l` (reset). */
  readonly #modes = new Map<string, string>()
  #tail = Buffer.alloc(0)
  #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#blocks.length * BLOCK_BYTES
  }

  set limit(bytes: number) {
    this.#limit = bytes
    this.#trim()
  }

  /** Copies the chunk, because a slice would keep its whole buffer in memory. */
  push(chunk: Buffer): void {
    for (let start = 0; start < chunk.length;) {
      if (!this.#blocks.length || this.#used === BLOCK_BYTES) {
        // Reuses the block that was just dropped, so that a lot of output allocates no new memory.
        this.#blocks.push(this.#trim(1) ?? Buffer.allocUnsafeSlow(BLOCK_BYTES))
        this.#used = 0
      }
      const copied = chunk.copy(this.#blocks.at(-1)!, this.#used, start)
      start += copied
      this.#used += copied
    }
  }

  /** Returns bytes that redraw the screen, whatever it shows now: a reset, the active modes and the stored output. */
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

/**
 * Returns the first offset from which a terminal can draw output whose beginning is missing: after a line feed or at an
 * escape sequence. Returns 0 if there is none.
 */
function safeStart(bytes: Buffer): number {
  const at = bytes.findIndex((byte) => byte === ESC_BYTE || byte === LINE_FEED_BYTE)
  if (at < 0) return 0
  return bytes[at] === ESC_BYTE ? at : at + 1
}
