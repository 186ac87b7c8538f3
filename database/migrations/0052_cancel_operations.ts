import { BaseSchema } from '@adonisjs/lucid/schema'

/** Some long work can be cancelled by whom it is for: `no`, `possible`, `asked`. */
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
