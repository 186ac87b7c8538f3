import ViteProvider from '@adonisjs/vite/vite_provider'

/**
 * Runs Vite only in development. Tests use the built pages, because Vite would bundle and reload pages while tests use
 * them.
 */
export default class AssetsProvider extends ViteProvider {
  async start() {
    if (process.env.DEV_MODE) await super.start()
  }
}
