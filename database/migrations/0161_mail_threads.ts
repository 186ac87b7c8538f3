import { BaseSchema } from '@adonisjs/lucid/schema'

/** A mail can have a Message-ID of its own, so that an answer finds what it is about. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('outbox_mails', (table) => table.text('message_id').nullable())
  }

  async down() {
    this.schema.alterTable('outbox_mails', (table) => table.dropColumn('message_id'))
  }
}
