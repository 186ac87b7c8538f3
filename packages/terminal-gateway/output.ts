import type { Shell } from '#packages/machine/main'
import { CREDIT_BYTES, MOST_CREDIT_BYTES } from './protocol.js'

/** Less than this, after all before it was drawn, is the answer to a key and is sent at once. */
const ANSWER_BYTES = 1024
/** Of a flood so many bytes or milliseconds travel together: each frame costs a system call. */
const JOIN_BYTES = 64 * 1024
const JOIN_TIME = 1
/** So much time's worth of output may be unacknowledged, beside what the line itself holds. */
const BACKLOG_MS = 60
const LEAST_CREDIT = 16 * 1024
/** Over at least so long the speed of a browser is measured. */
const MEASURE_MS = 50

/**
 * Sends a shell's output no faster than the browser draws it. The browser acknowledges what it
 * has drawn; while too much is unacknowledged the shell is paused. A slow browser gets less
 * credit, so that an interrupt is not stuck behind seconds of output; a fast one far away more.
 */
export class Output {
  /** Output bytes sent. */
  sent = 0
  private unacknowledged = 0
  private credit = CREDIT_BYTES
  private queue: Buffer[] = []
  private queued = 0
  private paused = false
  private timer: NodeJS.Timeout | null = null
  private lastSend = 0
  private rtt = Infinity
  private probe = 0
  private measureStart = 0
  private measured = 0
  private saturated = false

  constructor(
    private readonly shell: Shell,
    private readonly send: (bytes: Buffer) => void
  ) {}

  /** The shell waits for the browser. */
  get blocked(): boolean {
    return this.paused
  }

  push(chunk: Buffer): void {
    this.queue.push(chunk)
    this.queued += chunk.length
    const answer = this.unacknowledged === 0 && this.queued < ANSWER_BYTES
    const rested = performance.now() - this.lastSend >= JOIN_TIME
    if (answer || rested || this.queued >= JOIN_BYTES) this.flush()
    else this.timer ??= setTimeout(() => this.flush(), JOIN_TIME)
  }

  acknowledge(bytes: number): void {
    const drawn = Math.min(bytes, this.unacknowledged)
    this.unacknowledged -= drawn
    this.measured += drawn
    this.measure()
    this.flush()
  }

  /** The time a message takes to the browser and back, in ms, as a ping just took it. */
  roundTrip(ms: number): void {
    this.rtt = Math.min(this.rtt, ms)
  }

  /** Sends what the screen showed before, ahead of everything and in one frame. */
  replay(bytes: Buffer): void {
    this.transmit(bytes)
    this.hold(this.unacknowledged >= this.credit)
  }

  /** Sends what is left regardless of credit, at the end of a session. */
  finish(): void {
    this.stop()
    if (this.queued > 0) this.transmit(Buffer.concat(this.queue))
    this.queue = []
    this.queued = 0
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
  }

  private flush(): void {
    this.stop()
    const room = this.credit - this.unacknowledged
    if (this.queued > 0 && room > 0) {
      const all = this.queue.length === 1 ? this.queue[0] : Buffer.concat(this.queue)
      const now = all.subarray(0, room)
      const later = all.subarray(room)
      this.queue = later.length ? [later] : []
      this.queued = later.length
      this.transmit(now)
    }
    this.hold(this.queued > 0 || this.unacknowledged >= this.credit)
  }

  private hold(wait: boolean): void {
    if (wait) this.saturated = true
    if (wait === this.paused) return
    this.paused = wait
    if (wait) this.shell.pause()
    else this.shell.resume()
  }

  private transmit(bytes: Buffer): void {
    const now = performance.now()
    if (this.unacknowledged === 0) {
      this.probe = now
      this.measureStart = now
      this.measured = 0
      this.saturated = false
    }
    this.unacknowledged += bytes.length
    this.sent += bytes.length
    this.lastSend = now
    this.send(bytes)
  }

  /** Credit = speed of the browser x (round trip + backlog), the shell's window likewise. */
  private measure(): void {
    const now = performance.now()
    if (this.unacknowledged === 0 && this.probe) {
      this.roundTrip(now - this.probe)
      this.probe = 0
    }
    const elapsed = now - this.measureStart
    if (elapsed < MEASURE_MS) return
    if (this.saturated && this.rtt !== Infinity) {
      const speed = this.measured / elapsed
      const backlog = speed * BACKLOG_MS
      this.credit = Math.round(
        Math.min(MOST_CREDIT_BYTES, Math.max(LEAST_CREDIT, backlog + speed * this.rtt))
      )
      this.shell.setWindow(Math.min(MOST_CREDIT_BYTES, Math.max(LEAST_CREDIT, backlog)))
    }
    this.measureStart = now
    this.measured = 0
    this.saturated = this.paused
  }
}
