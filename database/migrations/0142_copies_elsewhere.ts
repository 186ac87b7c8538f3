import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds off-site backups of databases: copies in a vault (bucket) of the same account. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('databases', (table) => {
      table.integer('backup_vault_id').nullable()
    })
    this.schema.alterTable('database_backups', (table) => {
      table.integer('elsewhere_vault_id').nullable()
      // Object name in the vault. Stored before the upload starts, so that an incomplete upload can be deleted too.
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
