import { BaseSchema } from '@adonisjs/lucid/schema'

/** How many processes an instance may have where its package says so, and what its disk holds. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('server_instances', (table) => {
      table.integer('processes').nullable()
      table.bigInteger('disk_used').nullable()
    })
  }

  async down() {
    this.schema.alterTable('server_instances', (table) =>
      table.dropColumns('processes', 'disk_used')
    )
  }
}
