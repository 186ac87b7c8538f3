import ViteProvider from '@adonisjs/vite/vite_provider'

/**
 * Vite without the development server that it starts in every test: that one bundles while pages
 * are in use and reloads them under a journey's hands. Tests have the pages of the build.
 */
export default class AssetsProvider extends ViteProvider {
  async start() {
    if (process.env.DEV_MODE) await super.start()
  }
}
