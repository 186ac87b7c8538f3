import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds `from_statement`: staff created the payment by matching a line of a bank statement with a bill. The previous
 * release does not set it, so it still emails customers when such a payment is rejected.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table bill_payments add column from_statement boolean not null default false`)
    // Customers report their own payments, so a reported payment that staff created comes from a statement.
    this.schema.raw(`
      update bill_payments set from_statement = true
      where method is null and claimed_by in (select id from people where audience = 'staff')`)
  }

  async down() {
    this.schema.raw('alter table bill_payments drop column from_statement')
  }
}
