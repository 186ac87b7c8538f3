import type { ApplicationService } from '@adonisjs/core/types'

/** Measures and traces the console's processes (decision 0049); those of commands and tests are not asked. */
export default class MonitoringProvider {
  #stops: (() => Promise<void>)[] = []

  constructor(protected app: ApplicationService) {}

  /** Before the process takes up any work: that of its first second is traced, too. */
  async start() {
    if (this.app.getEnvironment() !== 'web') return
    const { startMonitoring } = await import('#core/monitoring/start_monitoring')
    this.#stops = await startMonitoring()
  }

  async shutdown() {
    for (const stop of this.#stops) await stop()
  }
}
