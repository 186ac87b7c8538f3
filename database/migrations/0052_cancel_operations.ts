import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds the cancellation state of operations. The owner of an operation can cancel it while it is
 * "possible".
 */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('operations', (table) => {
      table.text('cancel').notNullable().defaultTo('no').checkIn(['no', 'possible', 'asked'])
    })
  }

  async down() {
    this.schema.alterTable('operations', (table) => table.dropColumn('cancel'))
  }
}
