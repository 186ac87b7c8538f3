import type { ApplicationService } from '@adonisjs/core/types'

/** Binds what core asks of people. */
export default class IdentityProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    const { services } = await import('#core/services')
    const { unavailableTo } = await import('#identity/policies/abilities')
    services.unavailableTo = unavailableTo
    await import('#identity/jobs/sweep')
  }
}
