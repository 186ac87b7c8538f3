import type { ApplicationService } from '@adonisjs/core/types'

/** Starts metrics and tracing. Does nothing in commands and tests (decision 0049). */
export default class MonitoringProvider {
  #stops: (() => Promise<void>)[] = []

  constructor(protected app: ApplicationService) {}

  /** Called before the process starts any work, so that traces include the process's first second. */
  async start() {
    if (this.app.getEnvironment() !== 'web') return
    const { startMetricsAndTracing } = await import('#core/monitoring/start_metrics_and_tracing')
    this.#stops = await startMetricsAndTracing()
  }

  async shutdown() {
    for (const stop of this.#stops) await stop()
  }
}
