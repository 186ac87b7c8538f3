import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds the expiry of the secret in an email. The content is deleted once the email is sent or the secret has
 * expired.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('outbox_mails', (table) => {
      table.timestamp('secret_until').nullable().index()
      // Replaces the original subject.
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
