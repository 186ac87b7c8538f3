import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds a list of the objects that a database backup lacks or contains only in part. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('database_backups', (table) => {
      table.jsonb('notes').nullable()
    })
  }

  async down() {
    this.schema.alterTable('database_backups', (table) => {
      table.dropColumn('notes')
    })
  }
}
