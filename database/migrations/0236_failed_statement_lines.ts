import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds transfers that failed, are pending or were reversed according to a bank statement. They have their own table,
 * because the previous release counts all rows of `statement_lines` as received money.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table statement_failed_lines (
        id bigint generated always as identity primary key,
        statement_id bigint not null references statements on delete cascade,
        row integer not null,
        operator text not null,
        trx_id text not null,
        -- A reversed transfer was received and sent back, so it takes precedence over a received line.
        outcome text not null check (outcome in ('failed', 'pending', 'reversed')),
        -- Status in the operator's own words.
        status text not null);
      create index on statement_failed_lines (statement_id);
      create index on statement_failed_lines (trx_id);
    `)
    this.schema.raw(statementClaims(REVERSED))
  }

  async down() {
    this.schema.raw(statementClaims(''))
    this.schema.dropTable('statement_failed_lines')
  }
}

const REVERSED = `when exists (select 1 from statement_failed_lines f
  where f.operator = l.operator and f.trx_id = l.trx_id and f.outcome = 'reversed') then 'reversed'`

const statementClaims = (first: string) => `
  create or replace view statement_claims as
  select l.*, p.id as payment_id, p.bill_id, p.status as payment_status,
    p.taka, p.account_number, case
      ${first}
      when p.id is null then 'unclaimed'
      when p.status = 'rejected' then 'rejected'
      when p.taka <> l.amount then 'amount'
      when p.status = 'approved' then 'approved'
      when l.account_like is null or not regexp_replace(
        regexp_replace(p.account_number, '\\D', '', 'g'), '^88(?=01)', '') like l.account_like
        then 'account'
      when exists (select 1 from bill_payments o
        where o.trx_id = l.trx_id and o.bill_id <> p.bill_id) then 'twice'
      else 'exact' end as own
  from statement_lines l
  left join lateral (select * from bill_payments where trx_id = l.trx_id
    order by (status <> 'rejected') desc, bill_payments.id desc limit 1) p on true`
