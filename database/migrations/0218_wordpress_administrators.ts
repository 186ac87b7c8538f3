import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the first administrator of a WordPress installation. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('projects', (table) => {
      // Encrypted. Null once WordPress has stored it.
      table.text('wordpress_admin')
    })
  }

  async down() {
    this.schema.alterTable('projects', (table) => {
      table.dropColumn('wordpress_admin')
    })
  }
}
