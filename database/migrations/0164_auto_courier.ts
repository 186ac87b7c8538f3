import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds signed API calls between Auto Courier (another product that uses Berth's billing) and Berth (decision 0037). */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('courier_secrets', (table) => {
      table.bigIncrements('id')
      // Shared secret with which both sides sign, encrypted.
      table.text('secret').notNullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      // Time until which a replaced secret stays valid.
      table.timestamp('ends_at').nullable()
    })
    this.schema.raw(
      `create unique index courier_secrets_current on courier_secrets ((true)) where ends_at is null`
    )

    // Calls that succeeded. If Auto Courier repeats one, it gets the stored response.
    this.schema.createTable('courier_calls', (table) => {
      table.text('id').primary()
      table.text('digest').notNullable()
      table.jsonb('answer').notNullable()
      table.timestamp('at').notNullable().defaultTo(this.now()).index()
    })

    this.schema.createTable('courier_events', (table) => {
      table.uuid('id').primary()
      table.bigInteger('bill_id').notNullable().references('bills.id')
      table.integer('attempt').notNullable()
      table.text('type').notNullable()
      // JSON of the event, stored because every retry must send the same bytes.
      table.text('body').notNullable()
      table.text('state').notNullable().defaultTo('waiting')
      // Attempts since the event was last queued.
      table.integer('tries').notNullable().defaultTo(0)
      table.timestamp('next_at').notNullable().defaultTo(this.now())
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      // Each decision about a reported payment creates one event.
      table.unique(['bill_id', 'attempt'])
    })
    this.schema.raw(`
      alter table courier_events add constraint courier_events_state_known
        check (state in ('waiting', 'delivered', 'failed'))`)
    this.schema.raw(
      `create index courier_events_due on courier_events (next_at) where state = 'waiting'`
    )

    this.schema.createTable('courier_attempts', (table) => {
      table.bigIncrements('id')
      table.uuid('event_id').notNullable().references('courier_events.id').index()
      table.timestamp('at').notNullable()
      // HTTP status of the response. Null: no response.
      table.integer('status').nullable()
      table.text('answer').notNullable()
      table.integer('took_ms').notNullable()
    })
  }

  async down() {
    for (const table of ['attempts', 'events', 'calls', 'secrets']) {
      this.schema.dropTable(`courier_${table}`)
    }
  }
}
