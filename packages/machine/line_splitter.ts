import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

const DEFAULT_MAX_LINE_LENGTH = 64 * 1024

export interface LineSplitterOptions {
  /** Maximum characters of a line. Longer lines are cut off and end with `…`. Default 65,536. */
  maxLineLength?: number
  /** Whether a carriage return also ends a line, as in a program's progress display. */
  returns?: boolean
}

/**
 * Splits a program's output into lines with bounded memory: when a line exceeds the maximum length, its beginning is
 * returned immediately and its rest is dropped.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8')
  readonly #maxLineLength: number
  readonly #end: RegExp
  #line = ''
  #dropping = false

  constructor({
    maxLineLength = DEFAULT_MAX_LINE_LENGTH,
    returns = false,
  }: LineSplitterOptions = {}) {
    this.#maxLineLength = maxLineLength
    this.#end = returns ? /\r\n|[\r\n]/g : /\n/g
  }

  /** Returns the lines that end or become too long in this chunk, without their line breaks. */
  push(chunk: Buffer | string): string[] {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk)
    const lines: string[] = []
    let from = 0
    for (const end of text.matchAll(this.#end)) {
      this.#take(text.slice(from, end.index), lines)
      if (!this.#dropping) lines.push(this.#line.replace(/\r$/, ''))
      this.#line = ''
      this.#dropping = false
      from = end.index + end[0].length
    }
    this.#take(text.slice(from), lines)
    return lines
  }

  /** Returns the unfinished last line, if the output does not end with a line break. */
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
 * Calls `onLine` for each line until the stream ends or breaks. If `onLine` throws, rejects with that error and drops
 * the rest of the stream. Callers need not handle the rejection, because hostile output must not be able to end the
 * process.
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
