import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds preview addresses of projects, and the version of each instance's Apache configuration. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('projects', (table) => {
      // Port of the preview site inside the instance.
      table.integer('preview_port')
    })
    this.schema.raw(`
      create unique index projects_preview_port on projects (server_instance_id, preview_port)
        where status <> 'deleted'
    `)
    this.schema.createTable('web_servers', (table) => {
      table.bigInteger('server_instance_id').primary().references('server_instances.id')
      // Hash of the Apache configuration that was last applied completely. Null: none yet.
      table.text('version')
      table.timestamp('tried_at').notNullable()
    })
  }

  async down() {
    this.schema.dropTable('web_servers')
    this.schema.alterTable('projects', (table) => {
      table.dropColumn('preview_port')
    })
  }
}
