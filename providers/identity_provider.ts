import type { ApplicationService } from '@adonisjs/core/types'

/** Binds what core asks of people. */
export default class IdentityProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    const { services } = await import('#core/services')
    const { namesOf } = await import('#identity/queries/names')
    const { unavailableTo } = await import('#identity/policies/abilities')
    services.unavailableTo = unavailableTo
    services.namesOf = namesOf
    await import('#identity/schedules/sweep')
  }
}
