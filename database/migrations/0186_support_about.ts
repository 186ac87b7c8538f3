import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the page that a customer had open when asking for support (docs/decisions/0032). */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('alter table support_messages add column about jsonb')
  }

  async down() {
    this.schema.raw('alter table support_messages drop column about')
  }
}
