import { BaseCommand } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

/** Creates a backup point before `./berth upgrade`, with the code that the worker uses (decision 0047). */
export default class BackupsPoint extends BaseCommand {
  static commandName = 'backups:point'
  static description = 'Back up the newest data if a backup target is set'
  static options: CommandOptions = { startApp: true }

  async run() {
    const { loadBackupSettings } = await import('#backups/backup_settings')
    const plan = await loadBackupSettings()
    if (!plan?.active || plan.state !== 'ready') {
      this.logger.info('no backup target is set')
      return
    }
    const { runBackupOrRestoreTest } = await import('#backups/run_backup')
    const { at } = await runBackupOrRestoreTest('point', { signal: new AbortController().signal })
    this.logger.info(`backed up all data up to ${at?.toUTC().toISO()}`)
  }
}
