import type { ApplicationService } from '@adonisjs/core/types'

/** Makes every domain's operations and schedules known to the worker (and to tests). */
export default class OperationsProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    await import('#identity/sample_data')
    await import('#compute/package_register')
    await import('#compute/host_register')
    await import('#compute/register')
    await import('#compute/edge_register')
    await import('#compute/metrics_register')
    await import('#terminal/schedules/sweep_grants')
    await import('#projects/register')
    await import('#files/operations/unzip')
    await import('#git/operations/clone')
  }

  async shutdown() {
    const { closeInstances } = await import('#compute/register')
    const { closeHosts } = await import('#compute/host_register')
    await closeInstances()
    await closeHosts()
  }
}
