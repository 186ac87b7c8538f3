import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds encrypted environment variables for a project's processes and builds. */
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
