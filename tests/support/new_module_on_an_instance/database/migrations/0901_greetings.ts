import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('greetings', (table) => {
      table.bigIncrements('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      table.bigInteger('server_instance_id').notNullable().references('server_instances.id')
      table.text('text').notNullable()
      table.text('status').notNullable()
      table.timestamp('created_at').notNullable()
      table.timestamp('updated_at').notNullable()
      table.unique(['server_instance_id'])
    })
  }

  async down() {
    this.schema.dropTable('greetings')
  }
}
