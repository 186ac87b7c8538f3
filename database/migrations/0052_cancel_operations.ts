import { BaseSchema } from '@adonisjs/lucid/schema'

/** `no` (not cancellable), `possible` or `asked` (requested). */
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
