import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the last measured sizes of all databases, of the largest one and of the free disk space. All in bytes. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('database_servers', (table) => {
      table.bigInteger('data_bytes').nullable()
      table.bigInteger('largest_bytes').nullable()
      // Maximum size of the database server's cache in memory.
      table.bigInteger('pool_bytes').nullable()
      table.bigInteger('free_bytes').nullable()
    })
    this.schema.alterTable('databases', (table) => {
      // For choosing the next database to measure: one without a measurement, otherwise the one with the oldest.
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
