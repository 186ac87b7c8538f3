import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('host_instances', (table) => {
      table.bigIncrements('id')
      table.string('name').notNullable().unique()
      table.string('ip').notNullable()
      table.string('status').notNullable().index()
      table.string('provider').notNullable().defaultTo('')
      // The host's Incus: the local socket, or an HTTPS address with pinned certificates.
      table.boolean('is_local').notNullable().defaultTo(false)
      table.string('system_id').nullable()
      table.string('incus_url').nullable()
      table.text('incus_certificate').nullable()
      table.text('client_certificate').nullable()
      table.text('client_key').nullable()
      // SSH login with which staff open a web terminal on the host.
      table.string('username').nullable()
      table.integer('ssh_port').notNullable().defaultTo(22)
      table.text('ssh_key').nullable()
      table.text('host_key').nullable()
      table.jsonb('specifications').notNullable().defaultTo('{}')
      table.text('status_reason').nullable()
      table.timestamp('seen_at').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
    })

    this.schema.createTable('server_packages', (table) => {
      table.bigIncrements('id')
      table.string('name').notNullable()
      table.string('instance_type').notNullable()
      table.string('server_series').notNullable()
      table.jsonb('specifications').notNullable()
      table.jsonb('pricing').notNullable()
      table.boolean('offered').notNullable().defaultTo(true)
      table.integer('position').notNullable().defaultTo(0)
    })

    this.schema.createTable('server_instances', (table) => {
      table.bigIncrements('id')
      table.bigInteger('customer_id').notNullable().references('people.id')
      table.bigInteger('host_instance_id').nullable().references('host_instances.id')
      table.bigInteger('server_package_id').notNullable().references('server_packages.id')
      table.string('name').notNullable()
      table.string('instance_type').notNullable()
      table.string('status').notNullable().index()
      table.text('status_reason').nullable()
      table.string('billing_period').notNullable()
      table.string('ip').nullable()
      table.string('system_id').nullable().unique()
      table.string('private_ip').nullable()
      table.string('username').nullable()
      table.text('ssh_key').nullable()
      table.text('ssh_public_key').nullable()
      table.text('host_key').nullable()
      table.jsonb('ports').notNullable().defaultTo('{}')
      table.boolean('boost_mode').notNullable().defaultTo(true)
      table.timestamp('boosted_until').nullable()
      table.timestamp('boost_available_at').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.timestamp('deleted_at').nullable()
      table.index(['customer_id', 'status'])
      table.index(['host_instance_id', 'status'])
    })
    this.schema.raw(`
      create unique index server_instances_name on server_instances (customer_id, name)
      where status <> 'deleted'`)

    // A port of a host belongs to one instance. Of two concurrent requests, the primary key lets one succeed.
    this.schema.createTable('port_leases', (table) => {
      table.bigInteger('host_instance_id').notNullable().references('host_instances.id')
      table.integer('port').notNullable()
      table.bigInteger('server_instance_id').notNullable().references('server_instances.id')
      table.string('name').notNullable()
      table.integer('inner_port').notNullable()
      table.primary(['host_instance_id', 'port'])
      table.unique(['server_instance_id', 'name'])
    })

    this.schema.createTable('domains', (table) => {
      table.bigIncrements('id')
      table.bigInteger('server_instance_id').notNullable().references('server_instances.id')
      table.string('subdomain').notNullable().unique()
      table.string('status').notNullable()
      table.text('status_reason').nullable()
      table.integer('inner_port').notNullable().defaultTo(80)
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.index(['server_instance_id'])
    })

    this.schema.alterTable('people', (table) => {
      table.bigInteger('default_instance_id').nullable()
    })
  }

  async down() {
    this.schema.alterTable('people', (table) => table.dropColumn('default_instance_id'))
    for (const table of [
      'domains',
      'port_leases',
      'server_instances',
      'server_packages',
      'host_instances',
    ]) {
      this.schema.dropTable(table)
    }
  }
}
