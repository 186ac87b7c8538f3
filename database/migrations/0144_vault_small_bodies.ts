import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Small bodies stand beside their names, so that an upload is one commit and no file (docs/decisions/0027).
 * Not compressed, and in the row itself: one fills half a page at least, or a page.
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
 * The same with bodies that are made with their objects: `contents` has them one after another, each from
 * `begin` (1 is the first byte) of its object on.
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
