import { BaseSchema } from '@adonisjs/lucid/schema'

const WORDS: [table: string, column: string, words: string[]][] = [
  ['operations', 'status', ['queued', 'running', 'stuck', 'done', 'failed']],
  ['operations', 'lane', ['machine', 'guest', 'transfer']],
]

/**
 * Adds queues ("lanes"), attempts and the status "stuck" to operations, and a table with the last run of each schedule.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('operations', (table) => {
      table.integer('version').notNullable().defaultTo(1)
      table.text('lane').notNullable().defaultTo('machine')
      table.integer('attempts').notNullable().defaultTo(0)
      table.text('trouble').nullable()
      table.timestamp('due_at').notNullable().defaultTo(this.now())
      table.dropIndex([], 'operations_open')
    })
    for (const [table, column, words] of WORDS) {
      const list = words.map((word) => `'${word}'`).join(', ')
      this.schema.raw(
        `alter table ${table} add constraint ${table}_${column}_known check (${column} in (${list}))`
      )
    }
    this.schema.raw(
      `create index operations_due on operations (lane, due_at) where status in ('queued', 'running')`
    )
    this.schema.raw(
      `create index operations_stuck on operations (created_at) where status = 'stuck'`
    )
    // Operations of instances and hosts stay in the default queue, `machine`.
    this.schema.raw(
      `update operations set lane = case when kind ~ '^(git|files)[.]|[.]build$' then 'transfer'
         else 'guest' end where kind !~ '^(instance|host)[.]'`
    )

    this.schema.createTable('schedules', (table) => {
      table.text('name').primary()
      table.timestamp('started_at').notNullable()
      table.timestamp('ended_at').nullable()
      table.integer('took_ms').nullable()
      table.text('error').nullable()
      table.integer('failures').notNullable().defaultTo(0)
    })
  }

  async down() {
    this.schema.dropTable('schedules')
    for (const [table, column] of WORDS) {
      this.schema.raw(`alter table ${table} drop constraint ${table}_${column}_known`)
    }
    this.schema.alterTable('operations', (table) => {
      for (const column of ['version', 'lane', 'attempts', 'trouble', 'due_at']) {
        table.dropColumn(column)
      }
    })
    this.schema.raw(
      `create index operations_open on operations (created_at) where status in ('queued', 'running')`
    )
  }
}
