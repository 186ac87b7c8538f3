import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('notes', (table) => {
      table.bigIncrements('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      table.text('text').notNullable()
    })
  }

  async down() {
    this.schema.dropTable('notes')
  }
}
