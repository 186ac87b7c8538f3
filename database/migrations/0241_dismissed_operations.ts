import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the time at which staff removed a failed operation from their dashboard. */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('alter table operations add column dismissed_at timestamptz')
  }

  async down() {
    this.schema.raw('alter table operations drop column dismissed_at')
  }
}
