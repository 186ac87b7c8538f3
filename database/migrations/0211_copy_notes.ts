import { BaseSchema } from '@adonisjs/lucid/schema'

/** What a copy of a database does not hold whole. */
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
