import { BaseSchema } from '@adonisjs/lucid/schema'

/** Saves whether Incus of an offline host responds. The previous release treats each offline host as unreachable. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('host_instances', (table) => {
      table.boolean('incus_responds').notNullable().defaultTo(false)
    })
  }

  async down() {
    this.schema.alterTable('host_instances', (table) => table.dropColumn('incus_responds'))
  }
}
