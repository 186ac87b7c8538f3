/**
 * What must be undone when a command ends, whichever way: last in, first out. A signal ends the
 * command early; a second one leaves at once (children are tied to us and go too).
 */
export class CleanupStack {
  #undo: (() => Promise<void> | void)[] = []
  #requestStop!: (signal: NodeJS.Signals) => void
  /** Resolves when somebody asks us to stop. */
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

  /** Registers what to undo at the end. */
  atEnd(undo: () => Promise<void> | void): void {
    this.#undo.push(undo)
  }

  /** Does work until it is done or a stop is asked for, then undoes everything. True when it was stopped. */
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
