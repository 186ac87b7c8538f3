import { BaseSchema } from '@adonisjs/lucid/schema'

/** Counts how often a worker exited while it ran an operation's current step. The previous release does not count. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('operations', (table) => {
      table.smallint('step_runs').notNullable().defaultTo(0)
    })
  }

  async down() {
    this.schema.alterTable('operations', (table) => table.dropColumn('step_runs'))
  }
}
