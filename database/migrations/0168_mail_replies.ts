import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds replies to emails that the console has not fetched from the mail service yet (decision 0038). */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table mail.replies (
        id bigint generated always as identity primary key,
        message_id text not null unique,
        -- Sender whose domain DKIM or SPF has verified.
        sender text not null,
        refs text[] not null,
        body text not null,
        received_at timestamptz not null default now()
      )`)
  }

  async down() {
    this.schema.raw('drop table mail.replies')
  }
}
