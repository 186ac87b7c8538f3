import { BaseSchema } from '@adonisjs/lucid/schema'

/** Each grant opens one shell (docs/product.md, "Web terminal"). */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('terminal_grants', (table) => {
      // SHA-256 of the browser's token, so a copy of this table opens no shell.
      table.string('token_hash').primary()
      table.bigInteger('person_id').notNullable().references('people.id')
      table.string('session_hash').notNullable()
      table.string('machine_type').notNullable()
      table.bigInteger('machine_id').notNullable()
      table.text('folder').nullable()
      table.string('ip').nullable()
      table.timestamp('expires_at').notNullable().index()
      table.timestamp('redeemed_at').nullable()
    })
  }

  async down() {
    this.schema.dropTable('terminal_grants')
  }
}
