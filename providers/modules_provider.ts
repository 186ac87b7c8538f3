import type { ApplicationService } from '@adonisjs/core/types'

/** Makes the domains known, and ends what they keep open when the process stops. */
export default class ModulesProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    const { registerModules } = await import('#core/modules')
    const { loadModules } = await import('#modules')
    registerModules(await loadModules())
  }

  async shutdown() {
    const { closeModules } = await import('#core/modules')
    await closeModules()
  }
}
