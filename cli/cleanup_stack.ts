/**
 * Functions that run when a command ends, for whatever reason: last in, first out. A signal ends the command
 * early. A second signal exits at once, and the child processes exit too.
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

  /**
   * Runs `work` until it ends or a signal arrives, then all cleanup functions. Returns whether a signal
   * stopped it.
   */
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
