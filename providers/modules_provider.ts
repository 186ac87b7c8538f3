import type { ApplicationService } from '@adonisjs/core/types'

/** Closes the modules' open resources when the process stops. */
export default class ModulesProvider {
  constructor(protected app: ApplicationService) {}

  async boot() {
    const { registerModules } = await import('#core/modules')
    const { loadModules } = await import('#modules')
    registerModules(await loadModules())
  }

  /** Runs before the process starts any work. Commands and tests use the defaults until they load settings. */
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
