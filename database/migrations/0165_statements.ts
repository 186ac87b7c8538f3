import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Adds statements, which are a bank's or mobile-money operator's lists of payments. Their lines are matched with the
 * payments that customers reported (decision 0034).
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      -- The meaning of each column, which staff set once. Later statements are recognized by their header row.
      create table statement_formats (
        operator text not null,
        fingerprint text not null,
        columns jsonb not null,
        created_by bigint references people (id),
        created_at timestamptz(3) not null default now(),
        primary key (operator, fingerprint)
      );

      create table statements (
        id bigint generated always as identity primary key,
        operator text not null,
        filename text not null,
        -- The uploaded file. It is parsed again if staff correct the meaning of a column.
        file bytea not null,
        head jsonb not null,
        fingerprint text not null,
        -- Null until staff set the meaning of the columns.
        columns jsonb,
        -- Number of ignored rows, by reason.
        passed_over jsonb not null default '{}',
        -- The first rows that could not be parsed.
        unread jsonb not null default '[]',
        operation_id uuid,
        created_by bigint references people (id),
        created_at timestamptz(3) not null default now()
      );

      create table statement_lines (
        id bigint generated always as identity primary key,
        statement_id bigint not null references statements on delete cascade,
        -- Number of the row in the file, starting at 1.
        row integer not null,
        operator text not null,
        trx_id text not null,
        amount numeric(18, 2) not null check (amount > 0),
        account text,
        -- LIKE pattern of the sender's account number. Null if the number is missing in this line.
        account_like text,
        at text,
        -- The same transfer may be in several statements, but has only one row.
        unique (operator, trx_id)
      );
      create index on statement_lines (statement_id, row);
      create index on statement_lines (trx_id);
      create index on bill_payments (trx_id);

      -- Compares each line with the reported payment that has the same transaction ID.
      create view statement_claims as
      select l.*, p.id as payment_id, p.bill_id, p.status as payment_status,
        p.taka, p.account_number, case
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
        order by (status <> 'rejected') desc, bill_payments.id desc limit 1) p on true;

      -- Combines the results if one reported payment names several transfers.
      create view statement_matches as
      select c.*, case when own = 'exact' and exists (
          select 1 from bill_payments q where q.bill_id = c.bill_id and q.status = 'claimed'
            and not exists (select 1 from statement_claims d
              where d.trx_id = q.trx_id and d.payment_id = q.id and d.own = 'exact'))
        then 'part' else own end as state
      from statement_claims c;
    `)
  }

  async down() {
    this.schema.raw('drop view statement_matches, statement_claims')
    for (const table of ['statement_lines', 'statements', 'statement_formats']) {
      this.schema.dropTable(table)
    }
    this.schema.raw('drop index bill_payments_trx_id_idx')
  }
}
