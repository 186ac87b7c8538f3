import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds bills of both families (the console's and Auto Courier's), their charges and payments, and the ledger (decision
 * 0030).
 */
export default class extends BaseSchema {
  async up() {
    this.schema.createTable('bill_numbers', (table) => {
      // Series of bill numbers, such as `B-2026`. A transaction locks the row from taking a number until its commit, so
      // the numbers have no gaps.
      table.text('series').primary()
      table.bigInteger('last').notNullable()
    })

    this.schema.createTable('bills', (table) => {
      table.bigIncrements('id')
      table.text('family').notNullable()
      table.text('number').nullable().unique()
      table.bigInteger('account_id').nullable().references('accounts.id')
      // For Auto Courier's bills only: its own ID of the bill, and of its user.
      table.text('external_id').nullable().unique()
      table.text('external_user').nullable()
      table.text('currency').notNullable()
      table.decimal('amount', 18, 6).notNullable()
      table.decimal('paid', 18, 6).notNullable().defaultTo(0)
      table.decimal('credited', 18, 6).notNullable().defaultTo(0)
      table.decimal('written_off', 18, 6).notNullable().defaultTo(0)
      table.text('status').notNullable().defaultTo('pending')
      table.date('billing_date').notNullable()
      table.date('due_date').nullable()
      // Time zone that decides when a day begins.
      table.text('zone').notNullable()
      // Details of buyer and seller at the time of issue.
      table.jsonb('issued').notNullable()
      // Dollar rate of the bill. Fixed while a reported payment awaits approval, and permanently once the bill is paid.
      table.decimal('dollar_rate', 14, 6).nullable()
      table.text('account_number').nullable()
      table.text('trx_id').nullable()
      table.text('reference').nullable()
      table.text('note').nullable()
      table.integer('attempts').notNullable().defaultTo(0)
      table.timestamp('suspended_at').nullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.timestamp('updated_at').notNullable().defaultTo(this.now())
      table.index(['family', 'status', 'id'])
      table.index(['account_id', 'status', 'id'])
    })
    this.schema.raw(`
      create index bills_open on bills (due_date)
      where family = 'console' and status in ('pending', 'rejected')`)
    this.schema.raw(`
      alter table bills
        add constraint bills_family_known check (family in ('console', 'autocourier')),
        add constraint bills_status_known
          check (status in ('pending', 'processing', 'success', 'rejected', 'deleted')),
        add constraint bills_of_family check (case family
          when 'console' then currency = 'USD' and account_id is not null and number is not null
            and due_date is not null and external_id is null
          else currency = 'BDT' and account_id is null and external_id is not null
            and external_user is not null end),
        add constraint bills_money check (amount > 0 and paid >= 0 and credited >= 0
          and written_off >= 0 and paid + credited + written_off <= amount),
        add constraint bills_settled check (
          (paid + credited + written_off = amount) = (status in ('success', 'deleted'))),
        add constraint bills_paid check (case status when 'success' then paid > 0
          when 'deleted' then paid = 0 else true end)`)
    // These columns of an issued bill are immutable, unlike its status and payments. Corrections are credit notes.
    this.schema.raw(`
      create function refuse_other_bill() returns trigger language plpgsql as $$ begin
        if (new.family, new.number, new.account_id, new.external_id, new.external_user, new.currency,
            new.amount, new.billing_date, new.due_date, new.zone, new.issued)
          is distinct from (old.family, old.number, old.account_id, old.external_id, old.external_user,
            old.currency, old.amount, old.billing_date, old.due_date, old.zone, old.issued)
        then raise exception 'A bill that was issued stays as it is'; end if;
        return new; end $$`)
    this.schema.raw(`
      create trigger bills_stay before update on bills
      for each row execute function refuse_other_bill()`)
    this.schema.raw(`
      create trigger bills_remain before delete or truncate on bills
      for each statement execute function refuse_change()`)

    this.schema.createTable('bill_charges', (table) => {
      table.bigIncrements('id')
      table.bigInteger('account_id').notNullable().references('accounts.id')
      // Null until the charge is on a bill.
      table.bigInteger('bill_id').nullable().references('bills.id').index()
      // Deterministic ID of the charge, so that nothing is charged twice.
      table.text('source').notNullable().unique()
      table.text('type').notNullable()
      table.text('name').notNullable()
      table.text('bill_type').notNullable()
      table.text('billing_period').notNullable()
      table.decimal('quantity', 30, 6).notNullable()
      table.decimal('unit_price', 18, 6).notNullable()
      table.decimal('cost', 18, 6).notNullable()
      table.timestamp('created_at').notNullable().defaultTo(this.now())
    })
    this.schema.raw(
      'create index bill_charges_open on bill_charges (account_id) where bill_id is null'
    )
    this.schema.raw(`
      create function refuse_other_charge() returns trigger language plpgsql as $$ begin
        if old.bill_id is not null or to_jsonb(new) - 'bill_id' <> to_jsonb(old) - 'bill_id'
        then raise exception 'A charge stays as it is'; end if;
        return new; end $$`)
    this.schema.raw(`
      create trigger bill_charges_stay before update on bill_charges
      for each row execute function refuse_other_charge()`)
    this.schema.raw(`
      create trigger bill_charges_remain before delete or truncate on bill_charges
      for each statement execute function refuse_change()`)

    this.schema.createTable('bill_payments', (table) => {
      table.bigIncrements('id')
      table.bigInteger('bill_id').notNullable().references('bills.id').index()
      table.integer('attempt').notNullable()
      table.text('account_number').notNullable()
      table.text('trx_id').notNullable()
      table.text('reference').nullable()
      // `amount`: the part of the bill that this payment covers, in the bill's currency. `taka`: the sum that the
      // customer sent, including the transfer fee.
      table.decimal('amount', 18, 6).notNullable()
      table.decimal('taka', 18, 2).notNullable()
      table.decimal('dollar_rate', 14, 6).notNullable()
      table.text('status').notNullable().defaultTo('claimed')
      table.text('note').nullable()
      table.bigInteger('claimed_by').nullable().references('people.id')
      table.timestamp('claimed_at').notNullable().defaultTo(this.now())
      table.bigInteger('decided_by').nullable().references('people.id')
      table.timestamp('decided_at').nullable()
    })
    this.schema.raw(`
      alter table bill_payments
        add constraint bill_payments_status_known
          check (status in ('claimed', 'approved', 'rejected')),
        add constraint bill_payments_money check (amount > 0 and taka > 0)`)
    // Each transaction ID can pay only one bill. After staff reject the payment, the ID can be used again.
    this.schema.raw(`
      create unique index bill_payments_trx on bill_payments (trx_id) where status <> 'rejected'`)

    this.schema.createTable('ledger_transfers', (table) => {
      table.bigIncrements('id')
      table.bigInteger('bill_id').notNullable().references('bills.id').index()
      table.text('kind').notNullable()
      // Each row moves an amount from one ledger account to another, so the books always balance.
      table.text('debit').notNullable()
      table.text('credit').notNullable()
      table.text('currency').notNullable()
      table.decimal('amount', 18, 6).notNullable()
      table.bigInteger('payment_id').nullable().unique().references('bill_payments.id')
      // Number of the credit note, if the row is one.
      table.text('number').nullable().unique()
      table.text('note').nullable()
      table.bigInteger('actor_id').nullable().references('people.id')
      table.timestamp('created_at').notNullable().defaultTo(this.now())
      table.index(['kind', 'created_at'])
    })
    this.schema.raw(`
      alter table ledger_transfers
        add constraint ledger_transfers_kind_known check (
          (kind, debit, credit) in (('billed', 'receivable', 'income'), ('paid', 'cash', 'receivable'),
            ('credited', 'credit_notes', 'receivable'), ('written_off', 'write_offs', 'receivable'))),
        add constraint ledger_transfers_amount check (amount > 0),
        add constraint ledger_transfers_payment check ((kind = 'paid') = (payment_id is not null))`)
    this.schema.raw(
      `create unique index ledger_transfers_billed on ledger_transfers (bill_id) where kind = 'billed'`
    )
    this.schema.raw(`
      create trigger ledger_transfers_stay before update or delete or truncate on ledger_transfers
      for each statement execute function refuse_change()`)

    this.schema.createTable('bill_mails', (table) => {
      table.bigIncrements('id')
      table.bigInteger('bill_id').notNullable().references('bills.id')
      table.text('mail_type').notNullable()
      // Occasion of an email, such as `reminder:3` or `payment_received:1`. Each email is sent once.
      table.text('step').notNullable()
      table.bigInteger('sent_by').nullable().references('people.id')
      table.timestamp('sent_at').notNullable().defaultTo(this.now())
      table.unique(['bill_id', 'step'])
    })

    // Marks who suspended the account, because a payment must not lift a suspension by staff.
    this.schema.alterTable('accounts', (table) => {
      table.text('suspended_for').nullable()
    })
    this.schema.raw(`update accounts set suspended_for = 'staff' where status = 'suspended'`)
    this.schema.raw(`
      alter table accounts add constraint accounts_suspended_for_known
        check (suspended_for in ('staff', 'overdue'))`)
    this.schema.alterTable('dollar_rates', (table) => {
      table.bigInteger('created_by').nullable().references('people.id')
    })
    // Usage from before billing was installed is not charged.
    this.schema.raw(`insert into settings (key, value) values ('billing_from', to_jsonb(now()))`)
    this.defer(async (db) => {
      const { rows } = await db.rawQuery(`select 1 from pg_roles where rolname = 'berth_app'`)
      if (!rows.length) return
      await db.rawQuery('revoke update, delete, truncate on ledger_transfers from berth_app')
      await db.rawQuery('revoke delete, truncate on bills, bill_charges from berth_app')
    })
  }

  async down() {
    this.schema.raw(`delete from settings where key like 'billing%'`)
    this.schema.alterTable('dollar_rates', (table) => table.dropColumn('created_by'))
    this.schema.alterTable('accounts', (table) => table.dropColumn('suspended_for'))
    const tables = ['bill_mails', 'ledger_transfers', 'bill_payments', 'bill_charges', 'bills']
    for (const table of [...tables, 'bill_numbers']) this.schema.dropTable(table)
    this.schema.raw('drop function refuse_other_charge()')
    this.schema.raw('drop function refuse_other_bill()')
  }
}
