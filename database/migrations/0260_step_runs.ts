import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Counts the runs of an operation's current step, except those that an orderly stop of the worker or a lost lock
 * interrupted. The previous release does not count.
 */
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
