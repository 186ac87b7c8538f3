import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('projects', (table) => {
      // The first administrator, encrypted. Null once WordPress has stored it.
      table.text('wordpress_admin')
    })
  }

  async down() {
    this.schema.alterTable('projects', (table) => {
      table.dropColumn('wordpress_admin')
    })
  }
}
