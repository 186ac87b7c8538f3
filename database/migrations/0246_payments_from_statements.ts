import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds `from_statement`, which marks payments that staff matched with a statement line. The previous release
 * does not set it, so rejections of its matches are still emailed.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table bill_payments add column from_statement boolean not null default false`)
    // Customers report their own payments, so a reported payment of staff is a match.
    this.schema.raw(`
      update bill_payments set from_statement = true
      where method is null and claimed_by in (select id from people where audience = 'staff')`)
  }

  async down() {
    this.schema.raw('alter table bill_payments drop column from_statement')
  }
}
