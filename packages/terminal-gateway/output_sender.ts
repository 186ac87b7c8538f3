import type { Shell } from '#packages/machine/main'
import { INITIAL_CREDIT_BYTES, MAX_CREDIT_BYTES } from './protocol.js'

/**
 * Output below this size is probably the echo of a key press. If the browser has drawn all earlier output, it is sent
 * immediately.
 */
const MAX_IMMEDIATE_BYTES = 1024
/**
 * Collected output of this size is sent immediately. Output is joined to frames, because each frame costs a system
 * call.
 */
const MAX_JOINED_BYTES = 64 * 1024
/** Milliseconds for which output is collected before it is sent as one frame. */
const JOIN_MS = 1
/**
 * Amount of output that the browser may leave unacknowledged, besides data in transit. In milliseconds that the browser
 * needs to draw it.
 */
const MAX_UNACKNOWLEDGED_MS = 60
const MIN_CREDIT_BYTES = 16 * 1024
/** Shorter measurements of the browser's speed are inaccurate. */
const MIN_MEASUREMENT_MS = 50

/**
 * Pauses the shell while too much output is unacknowledged. The limit (credit) is small for a slow browser, so that
 * Ctrl-C does not wait behind seconds of output. It is large for a fast, distant browser.
 */
export class OutputSender {
  sent = 0
  #unacknowledged = 0
  #credit = INITIAL_CREDIT_BYTES
  #queue: Buffer[] = []
  #queued = 0
  #paused = false
  #timer: NodeJS.Timeout | null = null
  #lastSend = 0
  #rtt = Infinity
  #probe = 0
  #measureStart = 0
  #measured = 0
  #saturated = false

  readonly #shell: Shell
  readonly #send: (bytes: Buffer) => void

  constructor(shell: Shell, send: (bytes: Buffer) => void) {
    this.#shell = shell
    this.#send = send
  }

  /** Whether the shell is paused until the browser acknowledges output. */
  get blocked(): boolean {
    return this.#paused
  }

  push(chunk: Buffer): void {
    this.#queue.push(chunk)
    this.#queued += chunk.length
    const answer = this.#unacknowledged === 0 && this.#queued < MAX_IMMEDIATE_BYTES
    const rested = performance.now() - this.#lastSend >= JOIN_MS
    if (answer || rested || this.#queued >= MAX_JOINED_BYTES) this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), JOIN_MS)
  }

  acknowledge(bytes: number): void {
    const drawn = Math.min(bytes, this.#unacknowledged)
    this.#unacknowledged -= drawn
    this.#measured += drawn
    this.#measure()
    this.#flush()
  }

  roundTrip(ms: number): void {
    this.#rtt = Math.min(this.#rtt, ms)
  }

  /** Sends the stored screen of a resumed session in one frame, before any new output. */
  replay(bytes: Buffer): void {
    this.#transmit(bytes)
    this.#hold(this.#unacknowledged >= this.#credit)
  }

  /** Sends all remaining output at the end of a session, even above the credit. */
  finish(): void {
    this.stop()
    if (this.#queued > 0) this.#transmit(Buffer.concat(this.#queue))
    this.#queue = []
    this.#queued = 0
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
  }

  #flush(): void {
    this.stop()
    const room = this.#credit - this.#unacknowledged
    if (this.#queued > 0 && room > 0) {
      const all = this.#queue.length === 1 ? this.#queue[0] : Buffer.concat(this.#queue)
      const now = all.subarray(0, room)
      const later = all.subarray(room)
      this.#queue = later.length ? [later] : []
      this.#queued = later.length
      this.#transmit(now)
    }
    this.#hold(this.#queued > 0 || this.#unacknowledged >= this.#credit)
  }

  #hold(wait: boolean): void {
    if (wait) this.#saturated = true
    if (wait === this.#paused) return
    this.#paused = wait
    if (wait) this.#shell.pause()
    else this.#shell.resume()
  }

  #transmit(bytes: Buffer): void {
    const now = performance.now()
    if (this.#unacknowledged === 0) {
      this.#probe = now
      this.#measureStart = now
      this.#measured = 0
      this.#saturated = false
    }
    this.#unacknowledged += bytes.length
    this.sent += bytes.length
    this.#lastSend = now
    this.#send(bytes)
  }

  /**
   * Measures the browser and computes the limits. Credit: the browser's speed × (round-trip time + allowed backlog).
   * Window of the shell: the browser's speed × allowed backlog.
   */
  #measure(): void {
    const now = performance.now()
    if (this.#unacknowledged === 0 && this.#probe) {
      this.roundTrip(now - this.#probe)
      this.#probe = 0
    }
    const elapsed = now - this.#measureStart
    if (elapsed < MIN_MEASUREMENT_MS) return
    if (this.#saturated && this.#rtt !== Infinity) {
      const speed = this.#measured / elapsed
      const backlog = speed * MAX_UNACKNOWLEDGED_MS
      this.#credit = Math.round(
        Math.min(MAX_CREDIT_BYTES, Math.max(MIN_CREDIT_BYTES, backlog + speed * this.#rtt))
      )
      this.#shell.setWindow(Math.min(MAX_CREDIT_BYTES, Math.max(MIN_CREDIT_BYTES, backlog)))
    }
    this.#measureStart = now
    this.#measured = 0
    this.#saturated = this.#paused
  }
}
