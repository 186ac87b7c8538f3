import { BaseSchema } from '@adonisjs/lucid/schema'

/** Index for finding lines of a bank statement by sum, if the customer mistyped the transaction ID. */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('create index statement_lines_amount on statement_lines (amount)')
  }

  async down() {
    this.schema.raw('drop index statement_lines_amount')
  }
}
