import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the design of Berth's own emails, and texts that staff have changed. */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('mail_settings', (table) => {
      table.integer('id').primary().defaultTo(1)
      table.text('brand').notNullable()
      table.text('footer').notNullable()
      table.text('reply_to').nullable()
      // PNG file.
      table.binary('logo').nullable()
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.check('id = 1', [], 'mail_settings_one')
    })
    this.schema.createTable('mail_words', (table) => {
      // Type of email, such as `identity.code`.
      table.text('kind').primary()
      table.text('subject').nullable()
      table.text('intro').nullable()
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
    })
    this.schema.alterTable('outbox_mails', (table) => {
      table.text('reply_to').nullable()
    })
  }

  async down() {
    this.schema.alterTable('outbox_mails', (table) => table.dropColumn('reply_to'))
    this.schema.dropTable('mail_words')
    this.schema.dropTable('mail_settings')
  }
}
