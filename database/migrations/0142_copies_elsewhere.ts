import { BaseSchema } from '@adonisjs/lucid/schema'

/** Copies of databases in a second place besides the machine of their server: a vault of the same account. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('databases', (table) => {
      // Where new copies go as well.
      table.integer('backup_vault_id').nullable()
    })
    this.schema.alterTable('database_backups', (table) => {
      table.integer('elsewhere_vault_id').nullable()
      // The name of the object there; noted before it is sent, so that what was half sent is taken away too.
      table.text('elsewhere').nullable()
      table.timestamp('sent_at').nullable()
      table.text('elsewhere_error').nullable()
    })
    this.schema.raw(`
      create index database_backups_unsent on database_backups (created_at)
      where elsewhere_vault_id is not null and sent_at is null and status = 'done'`)
  }

  async down() {
    this.schema.alterTable('database_backups', (table) => {
      table.dropColumns('elsewhere_vault_id', 'elsewhere', 'sent_at', 'elsewhere_error')
    })
    this.schema.alterTable('databases', (table) => table.dropColumn('backup_vault_id'))
  }
}
