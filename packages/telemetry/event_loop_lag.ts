import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Interval of the samples. At shorter intervals, the monitor would wake the CPU more often. */
const SAMPLE_INTERVAL_MS = 50
/** The console requests the reports of the processes every 15 s. */
const WINDOW_MS = 15_000

/**
 * Measures the event loop delay of this process. The metrics of prom-client cannot be used for this, because they
 * change only when `/metrics` is requested.
 */
export class EventLoopLagMeter {
  readonly #histogram = monitorEventLoopDelay({ resolution: SAMPLE_INTERVAL_MS })
  /** Result of the last complete window. */
  #last: number | undefined

  constructor(windowMs = WINDOW_MS) {
    this.#histogram.enable()
    setInterval(() => {
      this.#last = this.#p99()
      this.#histogram.reset()
    }, windowMs).unref()
  }

  /** Returns the 99th percentile of the last 15 s window in seconds, or of the time since the start if it is shorter. */
  seconds(): number {
    return this.#last ?? this.#p99()
  }

  #p99(): number {
    if (this.#histogram.count === 0) return 0
    // Node records the time between two samples, which includes their interval.
    return Math.max(0, this.#histogram.percentile(99) / 1e9 - SAMPLE_INTERVAL_MS / 1_000)
  }
}
