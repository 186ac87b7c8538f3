import { BaseSchema } from '@adonisjs/lucid/schema'

/** When a visitor last got error 508, because a proxy in front of the domain connects by HTTP. */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('alter table domains add column proxy_loop_at timestamptz')
  }

  async down() {
    this.schema.raw('alter table domains drop column proxy_loop_at')
  }
}
