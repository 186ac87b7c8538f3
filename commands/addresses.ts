import { BaseCommand } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'
import { writeFile } from 'node:fs/promises'

/** Used by `./berth check`, before it looks at the types of the pages. */
export default class Addresses extends BaseCommand {
  static commandName = 'addresses'
  static description = 'Write the addresses that pages can use: app/core/page_addresses.ts'
  static options: CommandOptions = { startApp: true }

  async run() {
    const { addressTypes } = await import('#core/addresses')
    await writeFile(this.app.makePath('app/core/page_addresses.ts'), addressTypes())
  }
}
