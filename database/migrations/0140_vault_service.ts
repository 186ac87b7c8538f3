import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Tables of the vault service: object names, storage of object bodies, access keys and usage (docs/decisions/0027). The
 * console cannot read them and uses the service's API.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('create schema if not exists vault')
    this.schema.raw(`
      -- Each body of an object is written once, under its own ID. Processes reserve 1,000 IDs at a time.
      create sequence vault.body_ids increment by 1000;

      create table vault.vaults (
        id integer primary key,
        account_id integer not null,
        key text not null unique,
        state text not null default 'active',
        is_private boolean not null default false,
        cors jsonb not null default '[]',
        -- Maximum cost per calendar month in USD, beyond the included usage. Null: no limit.
        monthly_limit numeric(12, 2),
        limit_reached boolean not null default false,
        -- Key that signs links, encrypted. A new key invalidates all links.
        link_key text not null,
        bytes bigint not null default 0,
        objects bigint not null default 0,
        -- Storage backend of new bodies. Bodies on other backends are moved there.
        store text not null default 'folder',
        created_at timestamptz(3) not null default now()
      );

      create table vault.keys (
        id bigint generated always as identity primary key,
        vault_id integer not null references vault.vaults on delete cascade,
        -- Null: the vault's own secret, used with the account number.
        access_key_id text unique,
        secret_digest bytea not null unique,
        secret text not null,
        name text not null,
        read_only boolean not null default false,
        expires_at timestamptz(3),
        created_at timestamptz(3) not null default now()
      );
      create index on vault.keys (vault_id);

      create table vault.objects (
        vault_id integer not null references vault.vaults on delete cascade,
        name text collate "C" not null,
        store text not null,
        -- The object is the concatenation of these bodies: one, or one for each part of a multipart upload.
        bodies bigint[] not null,
        sizes bigint[] not null,
        -- MD5 of each body in hexadecimal.
        digests text[] not null,
        size bigint not null,
        etag text not null,
        type text not null,
        headers jsonb not null default '{}',
        meta jsonb not null default '{}',
        checksums jsonb not null default '{}',
        modified_at timestamptz(3) not null,
        primary key (vault_id, name)
      );

      create table vault.uploads (
        id text primary key,
        vault_id integer not null references vault.vaults on delete cascade,
        name text collate "C" not null,
        type text not null,
        headers jsonb not null default '{}',
        meta jsonb not null default '{}',
        -- Checksum algorithm of the parts, if any.
        checksum text,
        -- Response to CompleteMultipartUpload. A repeated call gets the same response.
        completed jsonb,
        completed_at timestamptz(3),
        started_at timestamptz(3) not null default now()
      );
      create index on vault.uploads (vault_id, name, id);

      create table vault.parts (
        upload_id text not null references vault.uploads on delete cascade,
        number integer not null,
        store text not null,
        body bigint not null,
        size bigint not null,
        etag text not null,
        checksums jsonb not null default '{}',
        modified_at timestamptz(3) not null default now(),
        primary key (upload_id, number)
      );

      -- Bodies that no object uses any more. They are removed later, because clients may still be reading them.
      create table vault.doomed (
        body bigint primary key,
        store text not null,
        at timestamptz(3) not null default now()
      );
      create index on vault.doomed (at);

      create table vault.usage (
        vault_id integer not null,
        account_id integer not null,
        day date not null,
        requests bigint not null default 0,
        bytes_in bigint not null default 0,
        bytes_out bigint not null default 0,
        -- Stored bytes, added once an hour.
        byte_hours numeric not null default 0,
        primary key (vault_id, day)
      );
      create index on vault.usage (day);
      create table vault.held_hours (hour timestamptz primary key);
      -- Offset in each journal of requests up to which the usage is aggregated.
      create table vault.journals (name text primary key, folded bigint not null);

      create table vault.findings (
        vault_id integer not null references vault.vaults on delete cascade,
        name text collate "C" not null,
        kind text not null,
        body bigint not null,
        found_at timestamptz(3) not null default now(),
        primary key (vault_id, name)
      );
      create table vault.scrub (
        one boolean primary key default true check (one),
        started_at timestamptz(3),
        ended_at timestamptz(3),
        vault_id integer not null default 0,
        name text collate "C" not null default '',
        expected bigint not null default 0,
        found bigint not null default 0
      );
    `)
    this.schema.raw(putObjects)
    this.schema.raw(removeObjects)
  }

  async down() {
    this.schema.raw('drop schema vault cascade')
    this.schema.raw('create schema vault')
  }
}

/**
 * Stores objects whose bodies are already on disk. Locks the vault's row first, so it sees every earlier commit: counts
 * stay exact, and no concurrent request can satisfy the same condition. `condition`: null, `absent` (the object must
 * not exist) or `etag:…` (the object must have that ETag). Outcomes: `ok`, `condition` (not satisfied), or `closed`
 * (the vault is deleted or accepts no writes).
 */
const putObjects = `
  create function vault.put_objects(puts jsonb)
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
      select i.*, o.size as old_size, o.bodies as old_bodies, o.store as old_store,
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
      insert into vault.doomed (body, store)
      select b, j.old_store from judged j cross join unnest(j.old_bodies) b where j.verdict = 'ok'
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

/**
 * Deletes the objects `names`. If `names` is null, deletes all objects whose name starts with `prefix`. `only_etag`
 * limits the deletion to an object with that ETag. Returns the deleted names.
 */
const removeObjects = `
  create function vault.remove_objects(of_vault integer, names text[], prefix text, only_etag text)
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
      returning o.name, o.size, o.bodies, o.store
    ), doomed as (
      insert into vault.doomed (body, store) select b, g.store from gone g cross join unnest(g.bodies) b
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
