import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('projects', (table) => {
      // Name and password of the site's first administrator, encrypted. Null once WordPress has stored them.
      table.text('wordpress_admin')
    })
  }

  async down() {
    this.schema.alterTable('projects', (table) => {
      table.dropColumn('wordpress_admin')
    })
  }
}
