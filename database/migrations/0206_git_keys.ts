import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds SSH keys for git remotes, and the host keys of git servers that an account trusts. */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('deploy_keys', (table) => {
      table.increments('id')
      table.bigInteger('server_instance_id').notNullable().references('server_instances.id')
      // user@host:port/path
      table.text('remote').notNullable()
      table.text('public_key').notNullable()
      // Encrypted.
      table.text('private_key').notNullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.unique(['server_instance_id', 'remote'])
    })
    this.schema.createTable('git_host_keys', (table) => {
      table.increments('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      table.text('host').notNullable()
      table.integer('port').notNullable()
      // Key type and base64, as in known_hosts.
      table.text('type').notNullable()
      table.text('key').notNullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.unique(['account_id', 'host', 'port'])
    })
  }

  async down() {
    this.schema.dropTable('git_host_keys')
    this.schema.dropTable('deploy_keys')
  }
}
