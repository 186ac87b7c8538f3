/**
 * Ends what is shown together, the record separator of ASCII: `test_reporter.ts` writes it after
 * each group of tests.
 */
export const GROUP_SEPARATOR = '\x1e'

/** Variable that asks for it. */
export const GROUPED_OUTPUT_VARIABLE = 'BERTH_TEST_HELD'

/**
 * Shows the output of a program that runs beside others: what belongs together at once, so that
 * lines of two never mix.
 */
export class GroupedOutput {
  #held: Buffer[] = []
  #show: (text: Buffer) => void

  constructor(show = (text: Buffer): void => void process.stdout.write(text)) {
    this.#show = show
  }

  /** Takes output as it comes, bytes of a character apart included. */
  readonly hear = (chunk: Buffer): void => {
    const end = chunk.lastIndexOf(GROUP_SEPARATOR) + 1
    if (!end) return void this.#held.push(chunk)
    this.#held.push(chunk.subarray(0, end))
    this.end()
    if (end < chunk.length) this.#held.push(chunk.subarray(end))
  }

  /** Shows what is left. */
  end(): void {
    const text = Buffer.concat(this.#held.splice(0))
    if (text.length)
      this.#show(text.filter((byte) => byte !== GROUP_SEPARATOR.charCodeAt(0)) as Buffer)
  }
}
