import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Allows payments whose received sum differs from the reported one, payments that staff enter, and account credit
 * (decision 0082).
 */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('bill_payments', (table) => {
      // Sum that the customer reported. Null: equal to the received sum.
      table.decimal('reported_taka', 18, 2).nullable()
      table.text('reported_trx_id').nullable()
      // `cash` or `bank` if staff entered the payment. Null: a transfer that was reported.
      table.text('method').nullable()
      table.date('paid_on').nullable()
    })
    this.schema.raw(
      kinds(`, ('overpaid', 'cash', 'income'), ('returned', 'credit_notes', 'income')`)
    )
  }

  async down() {
    this.schema.raw(kinds(''))
    this.schema.alterTable('bill_payments', (table) => {
      table.dropColumns('reported_taka', 'reported_trx_id', 'method', 'paid_on')
    })
  }
}

const kinds = (more: string) => `
  alter table ledger_transfers drop constraint ledger_transfers_kind_known,
    add constraint ledger_transfers_kind_known check (
      (kind, debit, credit) in (('billed', 'receivable', 'income'), ('paid', 'cash', 'receivable'),
        ('credited', 'credit_notes', 'receivable'), ('written_off', 'write_offs', 'receivable'),
        ('refunded', 'income', 'cash')${more}))`
