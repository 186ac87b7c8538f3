import { BaseSchema } from '@adonisjs/lucid/schema'

/** Lists without a size limit. Rows are counted separately for each value of this SQL expression (decision 0036). */
const counted = { bills: 'family', projects: `''`, mail_senders: `''` }

/**
 * Counts the rows of a list by status, in buckets of 2^10 and 2^15 IDs, so that totals and page numbers need no count
 * of all rows. Triggers only append changes, which the job `lists.fold` aggregates.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table list_counts (
        list text not null, scope text not null, level smallint not null, bucket bigint not null,
        status text not null, n bigint not null,
        primary key (list, scope, level, bucket, status)) with (fillfactor = 50)`)
    this.schema.raw(`
      create table list_deltas (
        list text not null, scope text not null, bucket bigint not null, status text not null,
        n bigint not null)
      with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_cost_delay = 0)`)
    // The aggregated counts, and the changes that are not aggregated yet. One statement reads both, so their sum is
    // always consistent.
    this.schema.raw(`
      create view list_numbers as
      select list, scope, level, bucket, status, n from list_counts
      union all select list, scope, 10, bucket, status, n from list_deltas
      union all select list, scope, 15, bucket >> 5, status, n from list_deltas`)
    // Declared `stable`, so that all its reads use one snapshot.
    this.schema.raw(`
      create function list_place(the_list text, the_scope text, wanted text[], asked bigint,
        per_page bigint, upwards boolean, out counts jsonb, out page bigint, out bound bigint,
        out rest bigint)
      language plpgsql stable as $$
      declare
        total bigint; low bigint := 0; high bigint := 9223372036854775807; here record; width int;
      begin
        select coalesce(jsonb_object_agg(status, n), '{}'), coalesce(sum(n) filter (where status = any(wanted)), 0)
          into counts, total
          from (select status, sum(n) as n from list_numbers
            where list = the_list and scope = the_scope and level = 15 group by status) one;
        page := least(asked, greatest(1, ceil(total::numeric / per_page)));
        rest := (page - 1) * per_page;
        foreach width in array array[15, 10] loop
          select bucket, before into here from (
            select bucket, sum(n) as n,
              sum(sum(n)) over (order by case when upwards then bucket else -bucket end) - sum(n) as before
            from list_numbers
            where list = the_list and scope = the_scope and level = width and status = any(wanted)
              and bucket between low >> width and high >> width
            group by bucket) buckets
          where before <= rest and before + n > rest;
          if not found then return; end if;
          rest := rest - here.before;
          low := here.bucket << width;
          high := ((here.bucket + 1) << width) - 1;
        end loop;
        bound := case when upwards then low else high end;
      end $$`)
    for (const [table, scope] of Object.entries(counted)) this.#count(table, scope)
    this.#search()
  }

  #count(table: string, scope: string) {
    const of = (row: string) => (scope.startsWith(`'`) ? scope : `${row}.${scope}`)
    const delta = (row: string, n: string) =>
      `('${table}', ${of(row)}, ${row}.id >> 10, ${row}.status, ${n})`
    const appended = (rows: string, n: string) => `
      insert into list_deltas select '${table}', ${of('one')}, one.id >> 10, one.status, ${n}
      from ${rows} one group by 2, 3, 4`
    const trigger = (name: string, when: string, body: string) => {
      this.schema.raw(`
        create function count_${table}_${name}() returns trigger language plpgsql as $$ begin
          ${body}; return null; end $$`)
      this.schema.raw(
        `create trigger ${table}_count_${name} after ${when} execute function count_${table}_${name}()`
      )
    }
    const each = 'for each statement'
    trigger(
      'made',
      `insert on ${table} referencing new table as made ${each}`,
      appended('made', 'count(*)')
    )
    trigger(
      'gone',
      `delete on ${table} referencing old table as gone ${each}`,
      appended('gone', '-count(*)')
    )
    trigger(
      'moved',
      `update on ${table} for each row when ((old.id, old.status, ${of('old')}) is distinct from
        (new.id, new.status, ${of('new')}))`,
      `insert into list_deltas values ${delta('old', '-1')}, ${delta('new', '1')}`
    )
    trigger(
      'emptied',
      `truncate on ${table} ${each}`,
      `perform pg_advisory_xact_lock(hashtextextended('lists.fold', 0));
       delete from list_deltas where list = '${table}'; delete from list_counts where list = '${table}'`
    )
    this.schema.raw(appended(table, 'count(*)'))
  }

  /** Indexes for search: three or more letters anywhere in a text, and the beginning of a bill or account number. */
  #search() {
    this.schema.raw('create extension if not exists pg_trgm')
    for (const column of ['trx_id', 'reference', 'external_id', 'external_user']) {
      this.schema.raw(`
        create index bills_${column}_words on bills using gin (${column} gin_trgm_ops)
        where ${column} is not null`)
    }
    for (const column of ['number', 'account_number']) {
      this.schema.raw(`
        create index bills_${column}_begins on bills (lower(${column}) text_pattern_ops)
        where ${column} is not null`)
    }
    this.schema.raw('create index bills_newest on bills (family, id)')
    for (const [table, column] of words) {
      this.schema.raw(
        `create index ${table}_${column}_words on ${table} using gin (${column} gin_trgm_ops)`
      )
    }
    this.schema.raw(`
      create index projects_subdomain_words on projects using gin ((virtual_host ->> 'subdomain') gin_trgm_ops)`)
    this.schema.raw('create index mail_senders_newest on mail_senders (status, id)')
    this.schema.raw('create index projects_newest on projects (status, id)')
  }

  async down() {
    for (const name of [
      'mail_senders_newest',
      'projects_newest',
      'projects_subdomain_words',
      'bills_newest',
    ])
      this.schema.raw(`drop index ${name}`)
    for (const [table, column] of words) this.schema.raw(`drop index ${table}_${column}_words`)
    for (const column of ['number', 'account_number'])
      this.schema.raw(`drop index bills_${column}_begins`)
    for (const column of ['trx_id', 'reference', 'external_id', 'external_user'])
      this.schema.raw(`drop index bills_${column}_words`)
    for (const table of Object.keys(counted)) {
      for (const name of ['made', 'gone', 'moved', 'emptied']) {
        this.schema.raw(`drop trigger ${table}_count_${name} on ${table}`)
        this.schema.raw(`drop function count_${table}_${name}()`)
      }
    }
    this.schema.raw('drop function list_place(text, text, text[], bigint, bigint, boolean)')
    this.schema.raw('drop view list_numbers')
    this.schema.dropTable('list_deltas')
    this.schema.dropTable('list_counts')
  }
}

const words = [
  ['projects', 'name'],
  ['projects', 'path'],
  ['mail_senders', 'email'],
  ['accounts', 'name'],
  ['people', 'name'],
  ['people', 'email'],
]
