import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Widens object sizes from 32 to 64 bits, because objects may have 5 GB. The function keeps its signature, so the
 * previous release can call the new one.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(putObjects('bigint'))
  }

  async down() {
    this.schema.raw(putObjects('integer'))
  }
}

/** In `contents`, the offset (`begin`) and `size` of a body fit in 32 bits, because a bytea has at most 1 GB. */
const putObjects = (size: 'bigint' | 'integer') => `
  create or replace function vault.put_objects(puts jsonb, contents bytea)
  returns table (at integer, outcome text, modified timestamptz) language sql as $$
    with made as materialized (
      select * from vault.put_objects(puts)
    ), kept as (
      insert into vault.bodies (body, bytes)
      select p.bodies[1], substr(contents, p.begin, p.size::integer)
      from jsonb_to_recordset(puts) as p (at integer, bodies bigint[], size ${size}, begin integer)
        join made on made.at = p.at
      where made.outcome = 'ok' and p.begin is not null
    )
    select * from made
  $$;
`
