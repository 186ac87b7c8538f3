import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds whether an operation can be cancelled: `no`, `possible`, or `asked` (cancellation was requested). */
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
