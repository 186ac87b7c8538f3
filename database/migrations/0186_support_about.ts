import { BaseSchema } from '@adonisjs/lucid/schema'

/** The page from which a customer asks for support (docs/decisions/0032). */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('alter table support_messages add column about jsonb')
  }

  async down() {
    this.schema.raw('alter table support_messages drop column about')
  }
}
