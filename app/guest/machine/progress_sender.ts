export interface ProgressReporter {
  signal: AbortSignal
  /** After this signal aborts, nothing is sent. Default: `signal`. */
  stopSignal?: AbortSignal
  report: (line: string) => Promise<void>
  /** Receives the output lines in batches. If there are too many lines, a batch has only the newest ones. */
  record?: (lines: string[]) => Promise<void>
}

const REPORT_INTERVAL_MS = 400
const RECORD_INTERVAL_MS = 2_000
const MAX_UNRECORDED_LINES = 1_000

/**
 * Sends the output of a command while it runs: the newest line every 400 ms, and all lines every two seconds. Uses
 * timers to send the last lines of a command that hangs and prints no further line. Ignores errors. Sends nothing
 * after `stopSignal`, because another worker may have taken over the operation.
 */
export class ProgressSender {
  #to: ProgressReporter
  #latest: string | null = null
  #unrecorded: string[] = []
  #reportTimer?: NodeJS.Timeout
  #recordTimer?: NodeJS.Timeout
  #sending = Promise.resolve()

  constructor(to: ProgressReporter) {
    this.#to = to
  }

  add(line: string): void {
    this.#latest = line
    this.#reportTimer ??= setTimeout(() => this.#sendReport(), REPORT_INTERVAL_MS)
    if (!this.#to.record) return
    this.#unrecorded.push(line)
    if (this.#unrecorded.length > MAX_UNRECORDED_LINES) this.#unrecorded.shift()
    this.#recordTimer ??= setTimeout(() => this.#sendLines(), RECORD_INTERVAL_MS)
  }

  /** Call it once after the command has ended. */
  async end(): Promise<void> {
    this.#sendLines()
    this.#sendReport()
    await this.#sending
  }

  #sendReport(): void {
    clearTimeout(this.#reportTimer)
    this.#reportTimer = undefined
    const line = this.#latest
    this.#latest = null
    if (line !== null) this.#send(() => this.#to.report(line))
  }

  #sendLines(): void {
    clearTimeout(this.#recordTimer)
    this.#recordTimer = undefined
    const lines = this.#unrecorded
    this.#unrecorded = []
    if (lines.length > 0) this.#send(async () => this.#to.record?.(lines))
  }

  /** Sends one update after the other, because both kinds save the operation. */
  #send(work: () => Promise<void>): void {
    this.#sending = this.#sending
      .then(() => ((this.#to.stopSignal ?? this.#to.signal).aborted ? undefined : work()))
      .catch(() => {})
  }
}
