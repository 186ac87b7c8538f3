import type { ApplicationService } from '@adonisjs/core/types'

/** Makes the domains known, and ends what they keep open when the process stops. */
export default class DomainsProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    const { startDomains } = await import('#core/domains')
    const { loadDomains } = await import('#domains')
    startDomains(await loadDomains())
  }

  async shutdown() {
    const { closeDomains } = await import('#core/domains')
    await closeDomains()
  }
}
