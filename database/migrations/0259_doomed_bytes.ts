import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Counts deleted object bodies as stored until their files are removed. Otherwise a customer could fill the disk free
 * of charge, by storing and deleting between two backups. The previous release does not fill the new columns, so its
 * deletions count as 0 bytes. The functions keep their signatures.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      alter table vault.doomed
        -- Null: the service removes the body itself, such as the old copy of a moved object.
        add column vault_id integer,
        add column size bigint not null default 0;
      create index on vault.doomed (vault_id);
    `)
    this.schema.raw(putObjects(true))
    this.schema.raw(removeObjects(true))
  }

  async down() {
    this.schema.raw(putObjects(false))
    this.schema.raw(removeObjects(false))
    this.schema.raw('alter table vault.doomed drop column vault_id, drop column size')
  }
}

const doomedColumns = (isCounted: boolean) =>
  isCounted ? 'body, store, vault_id, size' : 'body, store'

/** Function of migration 0140. `isCounted`: deleted bodies get a vault and a size. */
const putObjects = (isCounted: boolean) => `
  create or replace function vault.put_objects(puts jsonb)
  returns table (at integer, outcome text, modified timestamptz) language plpgsql as $$
  begin
    perform 1 from vault.vaults v
      where v.id in (select (p ->> 'vault_id')::integer from jsonb_array_elements(puts) p)
      order by v.id for update;
    return query
    with input as (
      select * from jsonb_to_recordset(puts) as p (
        at integer, vault_id integer, name text, store text, bodies bigint[], sizes bigint[],
        digests text[], size bigint, etag text, type text, headers jsonb, meta jsonb,
        checksums jsonb, condition text)
    ), judged as materialized (
      select i.*, o.size as old_size, o.bodies as old_bodies, o.sizes as old_sizes, o.store as old_store,
        case
          when v.id is null or v.state <> 'active' then 'closed'
          when i.condition = 'absent' and o.name is not null then 'condition'
          when i.condition like 'etag:%' and o.etag is distinct from substr(i.condition, 6) then 'condition'
          else 'ok'
        end as verdict
      from input i
      left join vault.vaults v on v.id = i.vault_id
      left join vault.objects o on o.vault_id = i.vault_id and o.name = i.name
    ), written as (
      insert into vault.objects (vault_id, name, store, bodies, sizes, digests, size, etag, type,
        headers, meta, checksums, modified_at)
      select j.vault_id, j.name, j.store, j.bodies, j.sizes, j.digests, j.size, j.etag, j.type,
        j.headers, j.meta, j.checksums, clock_timestamp()
      from judged j where j.verdict = 'ok'
      on conflict (vault_id, name) do update set store = excluded.store, bodies = excluded.bodies,
        sizes = excluded.sizes, digests = excluded.digests, size = excluded.size, etag = excluded.etag,
        type = excluded.type, headers = excluded.headers, meta = excluded.meta,
        checksums = excluded.checksums, modified_at = excluded.modified_at
      returning objects.vault_id, objects.name, objects.modified_at
    ), doomed as (
      insert into vault.doomed (${doomedColumns(isCounted)})
      select b.body, j.old_store${isCounted ? ', j.vault_id, b.size' : ''}
      from judged j cross join unnest(j.old_bodies, j.old_sizes) as b (body, size) where j.verdict = 'ok'
    ), healed as (
      delete from vault.findings f using judged j
      where j.verdict = 'ok' and f.vault_id = j.vault_id and f.name = j.name
    ), counted as (
      update vault.vaults v set bytes = v.bytes + d.bytes, objects = v.objects + d.objects
      from (
        select j.vault_id, sum(j.size - coalesce(j.old_size, 0)) as bytes,
          count(*) filter (where j.old_size is null) as objects
        from judged j where j.verdict = 'ok' group by j.vault_id
      ) d where v.id = d.vault_id
    )
    select j.at, j.verdict, w.modified_at from judged j
      left join written w on w.vault_id = j.vault_id and w.name = j.name;
  end $$;
`

/** Function of migration 0140. */
const removeObjects = (isCounted: boolean) => `
  create or replace function vault.remove_objects(of_vault integer, names text[], prefix text, only_etag text)
  returns setof text language plpgsql as $$
  begin
    perform 1 from vault.vaults v where v.id = of_vault for update;
    return query
    with gone as (
      delete from vault.objects o
      where o.vault_id = of_vault
        and (names is null or o.name = any (names))
        and (prefix is null or (o.name >= prefix and o.name < prefix || U&'\\+10FFFF'))
        and (only_etag is null or o.etag = only_etag)
      returning o.name, o.size, o.bodies, o.sizes, o.store
    ), doomed as (
      insert into vault.doomed (${doomedColumns(isCounted)})
      select b.body, g.store${isCounted ? ', of_vault, b.size' : ''}
      from gone g cross join unnest(g.bodies, g.sizes) as b (body, size)
    ), healed as (
      delete from vault.findings f using gone g where f.vault_id = of_vault and f.name = g.name
    ), counted as (
      update vault.vaults v
      set bytes = v.bytes - coalesce((select sum(g.size) from gone g), 0),
        objects = v.objects - (select count(*) from gone)
      where v.id = of_vault
    )
    select g.name from gone g;
  end $$;
`
