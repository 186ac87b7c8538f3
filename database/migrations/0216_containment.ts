import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('host_instances', (table) => {
      // Result of the last test that instances cannot break out: { at, broken: [{ boundary, evidence }], error }. Null
      // before the first test.
      table.jsonb('containment').nullable()
    })
  }

  async down() {
    this.schema.alterTable('host_instances', (table) => table.dropColumn('containment'))
  }
}
