import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('projects', (table) => {
      table.bigIncrements('id')
      table.bigInteger('customer_id').notNullable().references('people.id')
      table.bigInteger('server_instance_id').notNullable().references('server_instances.id')
      table.string('name').notNullable()
      table.string('stack').notNullable()
      // Folder of the project, relative to the web root.
      table.string('path').notNullable()
      table.string('status').notNullable()
      table.jsonb('virtual_host').nullable()
      // File name of the site's Apache configuration, and the web server's last error message.
      table.string('site_file').nullable()
      table.text('site_error').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.index(['customer_id', 'status'])
      table.index(['status'])
    })
    this.schema.raw(`
      create unique index projects_path on projects (server_instance_id, path)
      where status <> 'deleted'`)
    this.schema.raw(`
      create unique index projects_site_file on projects (server_instance_id, site_file)
      where status <> 'deleted' and site_file is not null`)
    this.schema.raw(`create index projects_name on projects (lower(name) text_pattern_ops)`)
  }

  async down() {
    this.schema.dropTable('projects')
  }
}
