import { BaseSchema } from '@adonisjs/lucid/schema'

/** Allows refunds of account credit: a ledger transfer that belongs to an account instead of a bill (decision 0035). */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('ledger_transfers', (table) => {
      table.setNullable('bill_id')
      table.bigInteger('account_id').nullable().references('accounts.id')
      table.text('trx_id').nullable().unique()
    })
    this.schema.raw(`
      alter table ledger_transfers drop constraint ledger_transfers_kind_known,
        add constraint ledger_transfers_kind_known check (
          (kind, debit, credit) in (('billed', 'receivable', 'income'), ('paid', 'cash', 'receivable'),
            ('credited', 'credit_notes', 'receivable'), ('written_off', 'write_offs', 'receivable'),
            ('refunded', 'income', 'cash'))),
        add constraint ledger_transfers_whose check (case kind
          when 'refunded' then bill_id is null and account_id is not null and trx_id is not null
          else bill_id is not null and account_id is null and trx_id is null end)`)
  }

  async down() {
    this.schema.raw(`
      alter table ledger_transfers drop constraint ledger_transfers_whose,
        drop constraint ledger_transfers_kind_known,
        add constraint ledger_transfers_kind_known check (
          (kind, debit, credit) in (('billed', 'receivable', 'income'), ('paid', 'cash', 'receivable'),
            ('credited', 'credit_notes', 'receivable'), ('written_off', 'write_offs', 'receivable')))`)
    this.schema.alterTable('ledger_transfers', (table) => {
      table.dropNullable('bill_id')
      table.dropColumns('account_id', 'trx_id')
    })
  }
}
