import { BaseSchema } from '@adonisjs/lucid/schema'

/** Finds statement lines by their sum, for payments with a mistyped transaction id. */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('create index statement_lines_amount on statement_lines (amount)')
  }

  async down() {
    this.schema.raw('drop index statement_lines_amount')
  }
}
