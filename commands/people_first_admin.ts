import { BaseCommand } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

/**
 * Creates the first administrator when Berth starts for the first time. Prints the password, because the database
 * stores only its hash. If staff already exist, prints `{}`.
 */
export default class PeopleFirstAdmin extends BaseCommand {
  static commandName = 'people:first-admin'
  static description =
    'Create the first administrator where there is no staff; prints {email, password}'
  static options: CommandOptions = { startApp: true }

  async run() {
    const { makeFirstAdministrator } = await import('#identity/actions/first_administrator')
    const administrator = await makeFirstAdministrator(process.env.FIRST_ADMIN_EMAIL)
    process.stdout.write(`${JSON.stringify(administrator ?? {})}\n`)
  }
}
