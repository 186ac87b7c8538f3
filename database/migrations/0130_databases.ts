import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('database_servers', (table) => {
      table.bigIncrements('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      table.bigInteger('server_instance_id').notNullable()
      table.text('engine').notNullable()
      table.text('status').notNullable()
      // Version that the database server last reported.
      table.text('version').nullable()
      // Encrypted password of Berth's own administrator user, for engines that need one.
      table.text('secret').nullable()
      table.text('error').nullable()
      table.timestamp('seen_at').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.unique(['server_instance_id', 'engine'])
    })
    this.schema.createTable('databases', (table) => {
      table.bigIncrements('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      // Null: the database is on the managed server.
      table.bigInteger('server_instance_id').nullable()
      table.text('engine').notNullable()
      // On the managed server, the name includes the account's prefix.
      table.text('name').notNullable()
      table.text('status').notNullable().defaultTo('active')
      table.bigInteger('size_bytes').nullable()
      // Number of tables or collections.
      table.integer('tables').nullable()
      table.timestamp('measured_at').nullable()
      // Nightly backups: whether they run, how many are kept, and for how many days.
      table.boolean('backup_nightly').notNullable().defaultTo(true)
      table.integer('backup_keep').notNullable().defaultTo(7)
      table.integer('backup_days').notNullable().defaultTo(30)
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.timestamp('deleted_at').nullable()
      table.unique(['id', 'account_id'])
      table.index(['account_id', 'engine', 'status'])
    })
    this.schema.createTable('database_backups', (table) => {
      table.bigIncrements('id')
      table.bigInteger('database_id').notNullable()
      table.bigInteger('account_id').notNullable()
      table.text('reason').notNullable()
      table.text('status').notNullable()
      // Path relative to the backup folder.
      table.text('file').nullable()
      table.text('format').notNullable()
      table.text('engine_version').nullable()
      table.bigInteger('size_bytes').nullable()
      // SHA-256 of the file in hexadecimal.
      table.text('digest').nullable()
      // Numbers of tables, rows, views, routines, triggers and events.
      table.jsonb('contents').nullable()
      table.text('error').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('finished_at').nullable()
      table.index(['database_id', 'created_at'])
    })
    for (const table of ['database_servers', 'databases']) {
      this.schema.raw(`
        alter table ${table}
          add constraint ${table}_engine_known check (engine in ('mysql', 'mongodb')),
          add constraint ${table}_owner foreign key (server_instance_id, account_id)
            references server_instances (id, account_id)`)
    }
    this.schema.raw(`
      alter table database_servers add constraint database_servers_status_known
        check (status in ('installing', 'running', 'stopped', 'failed'))`)
    this.schema.raw(`
      alter table databases
        add constraint databases_status_known check (status in ('active', 'deleted')),
        add constraint databases_keeps check (backup_keep between 1 and 90 and backup_days between 1 and 365)`)
    this.schema.raw(`
      create unique index databases_name on databases (engine, coalesce(server_instance_id, 0), name)
      where status = 'active'`)
    this.schema.raw(`
      alter table database_backups
        add constraint database_backups_owner foreign key (database_id, account_id)
          references databases (id, account_id),
        add constraint database_backups_reason_known
          check (reason in ('nightly', 'asked', 'before_drop', 'before_import')),
        add constraint database_backups_status_known
          check (status in ('running', 'done', 'failed', 'deleted'))`)
  }

  async down() {
    this.schema.dropTable('database_backups')
    this.schema.dropTable('databases')
    this.schema.dropTable('database_servers')
  }
}
