import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

/** The longest line that is kept unless told otherwise, in characters. */
const DEFAULT_MAX_LINE_LENGTH = 64 * 1024

export interface LineSplitterOptions {
  /** Characters kept of a line, 65,536 unless told; a longer one is cut there and ends with `…`. */
  maxLineLength?: number
  /** Whether a carriage return ends a line too, as in what draws progress. */
  returns?: boolean
}

/**
 * Cuts a program's output (bytes or text) into lines. A line beyond the limit is handed on as soon
 * as it is reached and the rest of it dropped, so that memory stays flat whatever is written.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8')
  readonly #maxLineLength: number
  readonly #end: RegExp
  #line = ''
  /** Whether the rest of a line that was handed on already is being dropped. */
  #dropping = false

  constructor({
    maxLineLength = DEFAULT_MAX_LINE_LENGTH,
    returns = false,
  }: LineSplitterOptions = {}) {
    this.#maxLineLength = maxLineLength
    this.#end = returns ? /\r\n|[\r\n]/g : /\n/g
  }

  /** The lines that a chunk completes, without their ends. */
  push(chunk: Buffer | string): string[] {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)
    const lines: string[] = []
    let from = 0
    for (const end of text.matchAll(this.#end)) {
      this.#take(text.slice(from, end.index), lines)
      // The return before a line's end may have come with the chunk before.
      if (!this.#dropping) lines.push(this.#line.replace(/\r$/, ''))
      this.#line = ''
      this.#dropping = false
      from = end.index + end[0].length
    }
    this.#take(text.slice(from), lines)
    return lines
  }

  /** What is left without an end. */
  rest(): string[] {
    const left = this.#line
    this.#line = ''
    return left ? [left] : []
  }

  #take(part: string, lines: string[]): void {
    if (this.#dropping) return
    const room = this.#maxLineLength - this.#line.length
    this.#line += part.slice(0, room)
    if (part.length <= room) return
    lines.push(`${this.#line}…`)
    this.#line = ''
    this.#dropping = true
  }
}

/**
 * Calls back with each line of a stream, cut at the limit; settles at the stream's end. A stream that
 * breaks has ended. Rejects with the error that `onLine` throws: the rest of the stream is read and
 * dropped. The rejection may be left without a handler, because hostile output must not end the process.
 */
export function forEachLine(
  stream: Readable,
  onLine: (line: string) => void,
  options: LineSplitterOptions = {}
): Promise<void> {
  const cutter = new LineSplitter(options)
  const settled = new Promise<void>((resolve, reject) => {
    if (stream.readableEnded || stream.destroyed) return resolve()
    let hasFailed = false
    const handle = (lines: string[]) => {
      if (hasFailed) return
      try {
        for (const line of lines) onLine(line)
      } catch (error) {
        hasFailed = true
        reject(error as Error)
      }
    }
    const finish = () => {
      handle(cutter.rest())
      resolve()
    }
    stream.on('data', (chunk: Buffer | string) => {
      if (!hasFailed) handle(cutter.push(chunk))
    })
    stream.on('error', finish)
    stream.once('end', finish)
    stream.once('close', finish)
  })
  settled.catch(() => {})
  return settled
}
