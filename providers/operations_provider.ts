import type { ApplicationService } from '@adonisjs/core/types'

/** Makes every domain's operations and schedules known to the worker (and to tests). */
export default class OperationsProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    await import('#identity/sample_data')
    await import('#accounts/register')
    await import('#catalog/register')
    await import('#hosts/register')
    await import('#instances/register')
    await import('#edge/register')
    await import('#metrics/register')
    await import('#terminal/schedules/sweep_grants')
    await import('#projects/register')
    await import('#files/operations/unzip')
    await import('#git/operations/clone')
  }

  async shutdown() {
    const { closeInstances } = await import('#instances/register')
    const { closeHosts } = await import('#hosts/register')
    await closeInstances()
    await closeHosts()
  }
}
