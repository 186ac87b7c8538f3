import ViteProvider from '@adonisjs/vite/vite_provider'

/** Vite, but in tests with the pages of the build in place of a development server. */
export default class PagesProvider extends ViteProvider {
  async start() {
    if (!this.app.inTest) await super.start()
  }

  async shutdown() {
    if (!this.app.inTest) await super.shutdown()
  }
}
