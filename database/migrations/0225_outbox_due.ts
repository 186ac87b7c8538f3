import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the time of the next attempt to send an email. It is null once no further attempt follows. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('outbox_mails', (table) => {
      table.timestamp('due_at').nullable()
      table.integer('attempts').notNullable().defaultTo(0)
    })
    this.schema.raw(
      `create index outbox_mails_due on outbox_mails ((secret_until is null), due_at)
       where due_at is not null`
    )
  }

  async down() {
    this.schema.alterTable('outbox_mails', (table) => table.dropColumns('due_at', 'attempts'))
  }
}
