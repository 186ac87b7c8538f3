import ViteProvider from '@adonisjs/vite/vite_provider'

/**
 * Only in development. In tests Vite would bundle and reload pages that are in use. Tests use the built pages.
 */
export default class AssetsProvider extends ViteProvider {
  async start() {
    if (process.env.DEV_MODE) await super.start()
  }
}
