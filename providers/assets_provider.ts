import ViteProvider from '@adonisjs/vite/vite_provider'

/**
 * Runs Vite only in development. In tests it would bundle and reload pages that are in use; they use the built
 * pages.
 */
export default class AssetsProvider extends ViteProvider {
  async start() {
    if (process.env.DEV_MODE) await super.start()
  }
}
