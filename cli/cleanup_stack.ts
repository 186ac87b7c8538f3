/**
 * Runs clean-up functions in reverse order when a command ends for any reason. The first signal ends the command early.
 * A second signal, or a signal during the clean-up, exits immediately without further clean-up.
 */
export class CleanupStack {
  #undo: (() => Promise<void> | void)[] = []
  #requestStop!: (signal: NodeJS.Signals) => void
  readonly stopRequested = new Promise<NodeJS.Signals>((resolve) => {
    this.#requestStop = resolve
  })
  stopping = false

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (this.stopping) process.exit(130)
        this.stopping = true
        this.#requestStop(signal)
      })
    }
  }

  atEnd(undo: () => Promise<void> | void): void {
    this.#undo.push(undo)
  }

  async during(work: () => Promise<void>): Promise<boolean> {
    try {
      return await Promise.race([work().then(() => false), this.stopRequested.then(() => true)])
    } finally {
      this.stopping = true
      for (const undo of this.#undo.reverse()) {
        await Promise.resolve(undo()).catch((error: Error) =>
          process.stderr.write(`While stopping: ${error.message}\n`)
        )
      }
    }
  }
}
