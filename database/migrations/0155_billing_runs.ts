import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds billing runs, and the index of usage that is reported late (decision 0035). */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('billing_runs', (table) => {
      table.bigIncrements('id')
      // Date of an automatic run in the business's time zone. The run includes all automatic bills of that day.
      table.date('day').nullable().unique()
      table.uuid('operation_id').nullable().unique()
      table.bigInteger('started_by').nullable().references('people.id')
      table.text('status').notNullable().defaultTo('running')
      table.text('error').nullable()
      // Accounts that the run did not bill, with the reasons.
      table.jsonb('skipped').notNullable().defaultTo('[]')
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('ended_at').nullable()
    })
    this.schema.raw(`
      alter table billing_runs
        add constraint billing_runs_status_known check (status in ('running', 'done', 'failed')),
        add constraint billing_runs_whose check ((day is null) <> (operation_id is null))`)
    // Allows only one unfinished run by staff at a time.
    this.schema.raw(`
      create unique index billing_runs_alone on billing_runs (status)
      where operation_id is not null and status = 'running'`)
    this.schema.alterTable('bills', (table) => {
      table.bigInteger('run_id').nullable().references('billing_runs.id').index()
    })
    this.schema.raw(`
      create index bill_charges_usage on bill_charges (account_id, billing_period)
      where source like 'usage:%'`)
    // Usage that was reported after its month had ended. It is rare, so the index stays small.
    this.schema.raw(`
      create index usage_events_late on usage_events (at)
      where created_at >= (date_trunc('month', at at time zone 'Asia/Dhaka') + interval '1 month')
        at time zone 'Asia/Dhaka'`)
  }

  async down() {
    this.schema.raw('drop index usage_events_late')
    this.schema.raw('drop index bill_charges_usage')
    this.schema.alterTable('bills', (table) => table.dropColumn('run_id'))
    this.schema.dropTable('billing_runs')
  }
}
