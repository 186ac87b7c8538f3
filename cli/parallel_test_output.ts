/** The ASCII record separator, which `test_reporter.ts` prints after each group of tests. */
export const GROUP_SEPARATOR = '\x1e'

/** Environment variable. If it is set, the reporter prints the separators. */
export const GROUPED_OUTPUT_VARIABLE = 'BERTH_TEST_HELD'

/**
 * Buffers a program's output and prints it in whole groups, so that the lines of programs that run in parallel never
 * mix.
 */
export class GroupedOutput {
  #held: Buffer[] = []
  #show: (text: Buffer) => void

  constructor(show = (text: Buffer): void => void process.stdout.write(text)) {
    this.#show = show
  }

  /** Receives bytes and not text, because a chunk may end in the middle of a UTF-8 character. */
  readonly hear = (chunk: Buffer): void => {
    const end = chunk.lastIndexOf(GROUP_SEPARATOR) + 1
    if (!end) return void this.#held.push(chunk)
    this.#held.push(chunk.subarray(0, end))
    this.end()
    if (end < chunk.length) this.#held.push(chunk.subarray(end))
  }

  end(): void {
    const text = Buffer.concat(this.#held.splice(0))
    if (text.length)
      this.#show(text.filter((byte) => byte !== GROUP_SEPARATOR.charCodeAt(0)) as Buffer)
  }
}
