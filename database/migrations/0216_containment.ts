import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the result of the last containment self-test of a host. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('host_instances', (table) => {
      // { at, broken: [{ boundary, evidence }], error }. Null before the first test.
      table.jsonb('containment').nullable()
    })
  }

  async down() {
    this.schema.alterTable('host_instances', (table) => table.dropColumn('containment'))
  }
}
