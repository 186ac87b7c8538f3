import { BaseSchema } from '@adonisjs/lucid/schema'

/** Saves when an account was emailed that the nightly backups of a database fail. The previous release ignores it. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('databases', (table) => {
      table.timestamp('backup_failure_mailed_at', { useTz: true }).nullable()
    })
  }

  async down() {
    this.schema.alterTable('databases', (table) => {
      table.dropColumn('backup_failure_mailed_at')
    })
  }
}
