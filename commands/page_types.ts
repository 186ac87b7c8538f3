import { BaseCommand } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'
import { writeFile } from 'node:fs/promises'

/** Writes page types for `./berth check` and `./berth dev` (docs/decisions/0021). */
export default class PageTypes extends BaseCommand {
  static commandName = 'page:types'
  static description = 'Generate the types of routes and page props'
  static options: CommandOptions = { startApp: true }

  async run() {
    const { generateRouteTypes } = await import('#core/generate_route_types')
    const { generatePageTypes } = await import('#core/generate_page_types')
    await writeFile(this.app.makePath('app/core/page_addresses.ts'), generateRouteTypes())
    await writeFile(this.app.makePath('inertia/page_files.ts'), await generatePageTypes())
  }
}
