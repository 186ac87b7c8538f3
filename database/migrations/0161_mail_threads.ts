import { BaseSchema } from '@adonisjs/lucid/schema'

/** A mail can have a Message-ID of its own and an address for answers, so that an answer finds what it is about. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('outbox_mails', (table) => {
      table.text('message_id').nullable()
      table.text('reply_to').nullable()
    })
  }

  async down() {
    this.schema.alterTable('outbox_mails', (table) => table.dropColumns('message_id', 'reply_to'))
  }
}
