import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Stores small object bodies in PostgreSQL, so that an upload is one commit and writes no file (docs/decisions/0027).
 * Bodies are not compressed and stay in their row, which fits on one page.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table vault.bodies (
        body bigint primary key,
        bytes bytea not null,
        at timestamptz(3) not null default now()
      ) with (toast_tuple_target = 8160);
      alter table vault.bodies alter column bytes set storage external;
    `)
    this.schema.raw(putObjects)
  }

  async down() {
    this.schema.raw('drop function vault.put_objects(jsonb, bytea)')
    this.schema.raw('drop table vault.bodies')
  }
}

/**
 * Like `put_objects(puts)`, but also stores bodies. `contents` is the concatenation of all bodies. `begin` is the
 * 1-based offset of an object's body in it.
 */
const putObjects = `
  create function vault.put_objects(puts jsonb, contents bytea)
  returns table (at integer, outcome text, modified timestamptz) language sql as $$
    with made as materialized (
      select * from vault.put_objects(puts)
    ), kept as (
      insert into vault.bodies (body, bytes)
      select p.bodies[1], substr(contents, p.begin, p.size)
      from jsonb_to_recordset(puts) as p (at integer, bodies bigint[], size integer, begin integer)
        join made on made.at = p.at
      where made.outcome = 'ok' and p.begin is not null
    )
    select * from made
  $$;
`
