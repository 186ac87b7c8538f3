import { BaseSchema } from '@adonisjs/lucid/schema'

/** How much room databases have on an instance, as it was when they were measured last. Bytes. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('database_servers', (table) => {
      table.bigInteger('data_bytes').nullable()
      table.bigInteger('largest_bytes').nullable()
      // What the server may keep in memory.
      table.bigInteger('pool_bytes').nullable()
      table.bigInteger('free_bytes').nullable()
    })
    this.schema.alterTable('databases', (table) => {
      // Null sorts first: what was never measured is next.
      table.index(['measured_at'])
    })
  }

  async down() {
    this.schema.alterTable('databases', (table) => table.dropIndex(['measured_at']))
    this.schema.alterTable('database_servers', (table) => {
      table.dropColumns('data_bytes', 'largest_bytes', 'pool_bytes', 'free_bytes')
    })
  }
}
