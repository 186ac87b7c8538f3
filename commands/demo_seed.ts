import { BaseCommand } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

export default class DemoSeed extends BaseCommand {
  static commandName = 'demo:seed'
  static description = 'Create sample customers with instances. Running it again adds nothing'
  static options: CommandOptions = { startApp: true }

  async run() {
    const { makeSampleData } = await import('#core/sample_data')
    await makeSampleData((line) => this.logger.info(line))
  }
}
