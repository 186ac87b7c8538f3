import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds process states, metrics by minute, alerts and their recipients. Operations get the ID of the request that
 * started them.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('processes', (table) => {
      table.uuid('machine_id').notNullable()
      table.text('role').notNullable()
      table.integer('pid').notNullable()
      table.text('version').notNullable()
      table.timestamp('started_at').notNullable()
      table.timestamp('seen_at').notNullable()
      table.boolean('ready').notNullable()
      // Memory and heap in bytes, event loop lag in seconds.
      table.bigInteger('memory').notNullable()
      table.bigInteger('heap').notNullable()
      table.double('lag').notNullable()
      table.primary(['machine_id', 'role', 'pid'])
    })
    this.schema.createTable('monitoring_minutes', (table) => {
      table.uuid('machine_id').notNullable()
      table.timestamp('at').notNullable()
      // Number of HTTP responses in each duration bucket (packages/telemetry/metrics.ts), and number of 5xx responses.
      table.specificType('classes', 'integer[]').notNullable()
      table.integer('faults').notNullable()
      table.double('lag').notNullable()
      table.bigInteger('memory').notNullable()
      // Seconds for which the oldest due operation has waited.
      table.double('waited').notNullable()
      table.bigInteger('disk_used').notNullable()
      table.bigInteger('disk_total').notNullable()
      table.bigInteger('database_bytes').notNullable()
      table.integer('connections').notNullable()
      table.integer('most_connections').notNullable()
      table.primary(['machine_id', 'at'])
    })
    this.schema.createTable('alerts', (table) => {
      table.bigIncrements('id')
      table.text('name').notNullable()
      // Subject of the alert, such as a host's ID.
      table.text('key').notNullable()
      table.text('label').notNullable()
      table.text('severity').notNullable()
      table.text('status').notNullable()
      table.text('words').notNullable()
      table.text('href').nullable()
      table.timestamp('began_at').notNullable()
      table.timestamp('seen_at').notNullable()
      table.timestamp('fired_at').nullable()
      table.timestamp('told_at').nullable()
      table.integer('reminders').notNullable().defaultTo(0)
      table.timestamp('ended_at').nullable()
      table.check(`severity in ('warning', 'critical')`, [], 'alerts_severity_known')
      table.check(`status in ('pending', 'firing', 'resolved')`, [], 'alerts_status_known')
    })
    this.schema.raw(
      `create unique index alerts_open on alerts (name, key) where status <> 'resolved'`
    )
    this.schema.raw(`create index alerts_ended on alerts (ended_at)`)
    this.schema.createTable('alert_silences', (table) => {
      table.text('name').notNullable()
      table.text('key').notNullable()
      table.timestamp('until').notNullable()
      table.text('reason').notNullable()
      table.text('by').notNullable()
      table.primary(['name', 'key'])
    })
    this.schema.createTable('alert_settings', (table) => {
      table.integer('id').primary().defaultTo(1)
      // Email addresses. Null: all administrators.
      table.specificType('recipients', 'text[]').nullable()
      table.text('webhook_url').nullable()
      // Encrypted with APP_KEY.
      table.text('webhook_secret').nullable()
      table.timestamp('webhook_tried_at').nullable()
      table.boolean('webhook_worked').nullable()
      table.text('webhook_answer').nullable()
      table.check('id = 1', [], 'alert_settings_one')
    })
    this.schema.alterTable('operations', (table) => {
      table.text('request_id').nullable()
      table.text('request_span').nullable()
    })
    this.schema.raw(
      `create index operations_request on operations (request_id) where request_id is not null`
    )
  }

  async down() {
    this.schema.alterTable('operations', (table) => table.dropColumns('request_id', 'request_span'))
    for (const name of [
      'alert_settings',
      'alert_silences',
      'alerts',
      'monitoring_minutes',
      'processes',
    ]) {
      this.schema.dropTable(name)
    }
  }
}
