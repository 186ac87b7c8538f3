import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('domains', (table) => {
      table.timestamp('certificate_until').nullable()
    })
  }

  async down() {
    this.schema.alterTable('domains', (table) => table.dropColumn('certificate_until'))
  }
}
