import { BaseSchema } from '@adonisjs/lucid/schema'

/** The first administrator of a WordPress that is being set up. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('projects', (table) => {
      // Sealed. Null once WordPress has it.
      table.text('wordpress_admin')
    })
  }

  async down() {
    this.schema.alterTable('projects', (table) => {
      table.dropColumn('wordpress_admin')
    })
  }
}
