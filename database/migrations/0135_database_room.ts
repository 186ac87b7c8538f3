import { BaseSchema } from '@adonisjs/lucid/schema'

/** Disk space of databases on an instance, as last measured. All values in bytes. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('database_servers', (table) => {
      table.bigInteger('data_bytes').nullable()
      table.bigInteger('largest_bytes').nullable()
      // Maximum memory for the server's cache.
      table.bigInteger('pool_bytes').nullable()
      table.bigInteger('free_bytes').nullable()
    })
    this.schema.alterTable('databases', (table) => {
      // The next database to measure is the one with the oldest measurement, or with none.
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
