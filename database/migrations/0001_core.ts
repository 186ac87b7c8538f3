import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('sessions', (table) => {
      table.string('id').primary()
      table.text('data').notNullable()
      table.string('user_id').nullable().index()
      table.timestamp('expires_at').notNullable().index()
    })

    this.schema.createTable('rate_limits', (table) => {
      table.string('key', 255).notNullable().primary()
      table.integer('points', 9).notNullable().defaultTo(0)
      table.bigint('expire').unsigned()
    })

    this.schema.createTable('settings', (table) => {
      table.string('key').primary()
      table.jsonb('value').notNullable()
    })

    this.schema.createTable('dollar_rates', (table) => {
      table.date('effective_from').primary()
      table.decimal('rate', 14, 6).notNullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
    })

    this.schema.createTable('operations', (table) => {
      table.uuid('id').primary()
      table.string('kind').notNullable()
      table.string('title').notNullable()
      table.bigInteger('owner_id').nullable()
      table.string('subject_type').notNullable()
      table.string('subject_id').notNullable()
      table.jsonb('input').notNullable()
      table.jsonb('memory').notNullable()
      table.jsonb('steps').notNullable()
      table.string('status').notNullable()
      table.jsonb('result').nullable()
      table.text('error').nullable()
      table.timestamp('created_at').notNullable()
      table.timestamp('started_at').nullable()
      table.timestamp('ended_at').nullable()
      table.index(['subject_type', 'subject_id', 'created_at'])
      table.index(['owner_id', 'created_at'])
    })
    this.schema.raw(
      `create index operations_open on operations (created_at) where status in ('queued', 'running')`
    )

    this.schema.createTable('outbox_mails', (table) => {
      table.bigIncrements('id')
      table.text('to').notNullable()
      table.text('from').notNullable()
      table.text('subject').notNullable()
      table.text('text').notNullable()
      table.text('html').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('sent_at').nullable()
    })

    this.schema.createTable('audit_entries', (table) => {
      table.bigIncrements('id')
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.bigInteger('actor_id').nullable().index()
      table.text('actor_name').notNullable()
      table.bigInteger('customer_id').nullable().index()
      table.string('action').notNullable()
      table.string('subject_type').notNullable()
      table.string('subject_id').notNullable()
      table.text('subject_label').nullable()
      table.jsonb('before').nullable()
      table.jsonb('after').nullable()
      table.string('ip').nullable()
      table.index(['subject_type', 'subject_id'])
    })
    // Keeps rows immutable by a trigger. Privileges are not enough, because one role may both own and use the database.
    this.schema.raw(`
      create function refuse_change() returns trigger language plpgsql as
      $$ begin raise exception '% may only be added to', tg_table_name; end $$`)
    this.schema.raw(`
      create trigger audit_entries_stay before update or delete or truncate on audit_entries
      for each statement execute function refuse_change()`)
    this.defer(async (db) => {
      const { rows } = await db.rawQuery(`select 1 from pg_roles where rolname = 'berth_app'`)
      if (rows.length) {
        await db.rawQuery('revoke update, delete, truncate on audit_entries from berth_app')
      }
      await db
        .insertQuery()
        .table('dollar_rates')
        .insert({ effective_from: '2026-01-01', rate: '122.50' })
    })
  }

  async down() {
    for (const table of [
      'audit_entries',
      'outbox_mails',
      'operations',
      'dollar_rates',
      'settings',
      'rate_limits',
      'sessions',
    ]) {
      this.schema.dropTable(table)
    }
    this.schema.raw('drop function refuse_change()')
  }
}
