import { BaseSchema } from '@adonisjs/lucid/schema'

/** Variables that a project's processes and builds are given, sealed. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('projects', (table) => {
      table.text('environment').nullable()
    })
  }

  async down() {
    this.schema.alterTable('projects', (table) => table.dropColumn('environment'))
  }
}
