import { BaseSchema } from '@adonisjs/lucid/schema'

/** Vaults are object storage buckets. */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('vaults', (table) => {
      table.increments('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      table.text('name').notNullable()
      // Part of URLs, and the S3 bucket name.
      table.text('key').notNullable().unique()
      table.text('status').notNullable().defaultTo('active')
      // Why staff suspended it, as its owner sees it.
      table.text('status_reason').nullable()
      // Encrypted.
      table.text('secret_key').nullable()
      // Last values from the vault service: requests by month, stored bytes and objects.
      table.jsonb('request_count').notNullable().defaultTo('{}')
      table.bigInteger('bytes').notNullable().defaultTo(0)
      table.bigInteger('objects').notNullable().defaultTo(0)
      // Its storage, how many objects still have to move there, and how many are damaged.
      table.text('store').notNullable().defaultTo('folder')
      table.bigInteger('to_move').notNullable().defaultTo(0)
      table.bigInteger('damaged').notNullable().defaultTo(0)
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.timestamp('deleted_at').nullable()
      table.unique(['id', 'account_id'])
      table.index(['account_id', 'status'])
    })
    this.schema.raw(`
      alter table vaults add constraint vaults_status_known
        check (status in ('active', 'suspended', 'deleted'))`)
    this.schema.raw(`
      create unique index vaults_name on vaults (account_id, name) where status <> 'deleted'`)
    this.schema.createTable('usage_events', (table) => {
      table.bigIncrements('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      // Such as `vault.requests`.
      table.text('meter').notNullable()
      table.decimal('quantity', 30, 6).notNullable()
      table.timestamp('at').notNullable()
      // Deterministic. Reporting the same usage again adds nothing.
      table.text('source').notNullable().unique()
      // Such as `vault:7`.
      table.text('thing').notNullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.index(['account_id', 'at'])
      table.index(['meter', 'at'])
    })
  }

  async down() {
    this.schema.dropTable('usage_events')
    this.schema.dropTable('vaults')
  }
}
