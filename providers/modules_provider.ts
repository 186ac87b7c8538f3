import type { ApplicationService } from '@adonisjs/core/types'

/** Loads the modules, and closes their open resources when the process stops. */
export default class ModulesProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    const { registerModules } = await import('#core/modules')
    const { loadModules } = await import('#modules')
    registerModules(await loadModules())
  }

  /**
   * Called before the process starts any work. Commands and tests use default regional settings until they load others.
   */
  async start() {
    if (this.app.getEnvironment() !== 'web') return
    const { subscribeToRegionalSettings } = await import('#core/settings/load_regional_settings')
    await subscribeToRegionalSettings()
  }

  async shutdown() {
    const { closeModules } = await import('#core/modules')
    await closeModules()
  }
}
