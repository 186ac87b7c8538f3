import { MAX_PARALLEL_PARTS, tooManyParallelParts, uploadBusy } from '#files/errors'

/** Time after its last byte during which an upload still belongs to its browser tab. */
const TAB_TIMEOUT_MS = 10_000

interface RunningPart {
  personId: number
  tab: string
  lastByteAt: number
  interrupt(): void
  /** Resolves when the running part has ended. Null: no part is running. */
  ended: Promise<void> | null
}

/**
 * Identifies the browser tab that uploads a file. `key` identifies the instance, the person and the
 * path.
 */
export interface PartClaim {
  key: string
  personId: number
  /** Random id of the browser tab. */
  tab: string
}

/**
 * The parts that this process currently receives. Two tabs cannot send the same file at once. A tab
 * can replace its own part, because the browser may notice a lost connection before the server. If
 * another process receives a part, the lock on the temporary file rejects the second one.
 */
export class RunningUploadParts {
  readonly #parts = new Map<string, RunningPart>()

  #assertFree({ key, tab }: PartClaim): void {
    const part = this.#parts.get(key)
    if (part && part.tab !== tab && Date.now() - part.lastByteAt < TAB_TIMEOUT_MS)
      throw uploadBusy()
  }

  /**
   * Ends the running part of an upload, unless another tab sends it and its last byte arrived less
   * than `TAB_TIMEOUT_MS` ago.
   * @throws 409 if another tab is sending the file
   */
  async interrupt(claim: PartClaim): Promise<void> {
    for (;;) {
      this.#assertFree(claim)
      const part = this.#parts.get(claim.key)
      if (!part?.ended) return void this.#parts.delete(claim.key)
      part.interrupt()
      await part.ended
    }
  }

  /**
   * @param work must stop when the signal is aborted, and call `touch` whenever bytes arrive
   * @throws 409 if another tab is sending the file, 429 above the limit of parallel parts
   */
  async run(
    claim: PartClaim,
    work: (signal: AbortSignal, touch: () => void) => Promise<void>
  ): Promise<void> {
    const { key, personId, tab } = claim
    do await this.interrupt(claim)
    while (this.#parts.get(key)?.ended)
    this.#forgetOld()
    const mine = [...this.#parts.values()].filter(
      (part) => part.ended && part.personId === personId
    )
    if (mine.length >= MAX_PARALLEL_PARTS) throw tooManyParallelParts()
    const abort = new AbortController()
    const interrupt = () => abort.abort()
    const part: RunningPart = { personId, tab, lastByteAt: Date.now(), interrupt, ended: null }
    const done = work(abort.signal, () => (part.lastByteAt = Date.now()))
    part.ended = done.then(
      () => {},
      () => {}
    )
    this.#parts.set(key, part)
    try {
      await done
    } finally {
      part.ended = null
    }
  }

  #forgetOld(): void {
    const limit = Date.now() - TAB_TIMEOUT_MS
    for (const [key, { ended, lastByteAt }] of this.#parts)
      if (!ended && lastByteAt < limit) this.#parts.delete(key)
  }
}
