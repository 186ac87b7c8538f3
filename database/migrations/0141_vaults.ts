import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds vaults, which are object storage buckets. */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('vaults', (table) => {
      table.increments('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      table.text('name').notNullable()
      // Name of the bucket in URLs and in the S3 API.
      table.text('key').notNullable().unique()
      table.text('status').notNullable().defaultTo('active')
      // Reason why staff suspended the vault, shown to its owner.
      table.text('status_reason').nullable()
      // Secret access key, encrypted.
      table.text('secret_key').nullable()
      // Usage that the vault service last reported: requests by month, stored bytes and objects.
      table.jsonb('request_count').notNullable().defaultTo('{}')
      table.bigInteger('bytes').notNullable().defaultTo(0)
      table.bigInteger('objects').notNullable().defaultTo(0)
      // Storage backend of new objects, the number of objects that must still move there, and the number of damaged
      // objects.
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
      // Name of the meter, such as `vault.requests`.
      table.text('meter').notNullable()
      table.decimal('quantity', 30, 6).notNullable()
      table.timestamp('at').notNullable()
      // Deterministic ID of the report, so that reporting the same usage again adds nothing.
      table.text('source').notNullable().unique()
      // Billed resource, such as `vault:7`.
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
