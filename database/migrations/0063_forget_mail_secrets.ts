import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds the time at which the secret in an email expires. The email's text is deleted when it is sent or when the secret
 * expires.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('outbox_mails', (table) => {
      table.timestamp('secret_until').nullable().index()
      // Subject without the secret. It replaces the subject when the text is deleted.
      table.text('plain_subject').nullable()
    })
    this.schema.raw(`
      update outbox_mails set subject = 'Your Berth code', html = null,
        text = 'This mail had a code in it and is no longer kept.'
      where subject like '% is your Berth code'
        and (sent_at is not null or created_at < now() - interval '10 minutes')`)
    this.schema.raw(`
      update outbox_mails set plain_subject = 'Your Berth code',
        secret_until = created_at + interval '10 minutes'
      where subject like '% is your Berth code'`)
  }

  async down() {
    this.schema.alterTable('outbox_mails', (table) =>
      table.dropColumns('secret_until', 'plain_subject')
    )
  }
}
