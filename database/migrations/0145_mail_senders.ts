import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('mail_domains', (table) => {
      table.increments('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      table.text('domain').notNullable()
      table.text('status').notNullable().defaultTo('pending')
      // Results of the last DNS check, one for each record.
      table.jsonb('findings').notNullable().defaultTo('[]')
      table.timestamp('checked_at').nullable()
      // Time since which the DNS records of an active domain are wrong.
      table.timestamp('failing_since').nullable()
      table.timestamp('active_at').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.timestamp('deleted_at').nullable()
      table.index(['account_id', 'status'])
    })
    this.schema.createTable('mail_senders', (table) => {
      table.increments('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      // Email address in lower case.
      table.text('email').notNullable()
      table.text('status').notNullable().defaultTo('pending')
      // Reason why staff suspended the sender, shown to its owner.
      table.text('status_reason').nullable()
      // Secret of the API key, encrypted.
      table.text('secret_key').nullable()
      table.timestamp('verified_at').nullable()
      // How the sender was verified: by a link, or by its domain.
      table.text('verified_by').nullable()
      // SHA-256 of the secret in the verification link.
      table.text('token_digest').nullable().unique()
      table.timestamp('token_expires_at').nullable()
      table.timestamp('link_sent_at').nullable()
      // Number that the mail service last reported: accepted messages by month.
      table.jsonb('sent_mail_count').notNullable().defaultTo('{}')
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.timestamp('deleted_at').nullable()
      table.index(['account_id', 'status'])
    })
    this.schema.raw(`
      alter table mail_domains add constraint mail_domains_status_known
        check (status in ('pending', 'active', 'deleted'));
      alter table mail_senders add constraint mail_senders_status_known
        check (status in ('pending', 'verified', 'suspended', 'deleted'));
      create unique index mail_domains_name on mail_domains (account_id, domain)
        where status <> 'deleted';
      create unique index mail_domains_active on mail_domains (domain) where status = 'active';
      create unique index mail_senders_email on mail_senders (account_id, email)
        where status <> 'deleted';
      create unique index mail_senders_verified on mail_senders (email)
        where verified_at is not null and status <> 'deleted';
    `)
  }

  async down() {
    this.schema.dropTable('mail_senders')
    this.schema.dropTable('mail_domains')
  }
}
