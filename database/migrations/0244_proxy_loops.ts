import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the time of the last response 508, which HTTPS visitors get if a proxy connects to the edge by HTTP. */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('alter table domains add column proxy_loop_at timestamptz')
  }

  async down() {
    this.schema.raw('alter table domains drop column proxy_loop_at')
  }
}
