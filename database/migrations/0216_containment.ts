import { BaseSchema } from '@adonisjs/lucid/schema'

/** The result of the last self-test of containment on a host. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('host_instances', (table) => {
      // { at, broken: [{ boundary, evidence }], error }; null before the first test
      table.jsonb('containment').nullable()
    })
  }

  async down() {
    this.schema.alterTable('host_instances', (table) => table.dropColumn('containment'))
  }
}
