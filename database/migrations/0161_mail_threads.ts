import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the Message-ID of sent emails, by which replies are matched. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('outbox_mails', (table) => table.text('message_id').nullable())
  }

  async down() {
    this.schema.alterTable('outbox_mails', (table) => table.dropColumn('message_id'))
  }
}
