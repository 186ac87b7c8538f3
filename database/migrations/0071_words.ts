import { BaseSchema } from '@adonisjs/lucid/schema'

const kinds = ['regular', 'shared']

const WORDS: [table: string, column: string, words: string[]][] = [
  ['host_instances', 'status', ['pending', 'active', 'maintenance', 'offline', 'deleted']],
  ['server_packages', 'instance_type', kinds],
  ['server_packages', 'server_series', ['bronze', 'silver', 'gold']],
  ['server_instances', 'instance_type', kinds],
  [
    'server_instances',
    'status',
    ['pending', 'active', 'stopped', 'suspended', 'failed', 'deleted'],
  ],
  ['server_instances', 'billing_period', ['month', 'year']],
  ['projects', 'status', ['active', 'inactive', 'suspended', 'deleted']],
  ['terminal_grants', 'machine_type', ['server_instance', 'host_instance']],
]

/** Restricts statuses and types to known values, and a project's owner to the owner of its instance. */
export default class extends BaseSchema {
  async up() {
    for (const [table, column, words] of WORDS) {
      const list = words.map((word) => `'${word}'`).join(', ')
      this.schema.raw(
        `alter table ${table} add constraint ${table}_${column}_known check (${column} in (${list}))`
      )
    }
    this.schema.raw(
      'alter table server_instances add constraint server_instances_owned unique (id, customer_id)'
    )
    this.schema.raw(`
      alter table projects add constraint projects_owner foreign key (server_instance_id, customer_id)
      references server_instances (id, customer_id)`)
  }

  async down() {
    this.schema.raw('alter table projects drop constraint projects_owner')
    this.schema.raw('alter table server_instances drop constraint server_instances_owned')
    for (const [table, column] of WORDS) {
      this.schema.raw(`alter table ${table} drop constraint ${table}_${column}_known`)
    }
  }
}
