import ViteProvider from '@adonisjs/vite/vite_provider'

/**
 * The Vite provider without its development server in tests. That server would bundle during tests and
 * reload pages in use. Tests use the built pages.
 */
export default class AssetsProvider extends ViteProvider {
  async start() {
    if (process.env.DEV_MODE) await super.start()
  }
}
