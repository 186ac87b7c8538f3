import type { ApplicationService } from '@adonisjs/core/types'

/** Registers the modules, and closes their open resources when the process stops. */
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
