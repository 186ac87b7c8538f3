import { BaseSchema } from '@adonisjs/lucid/schema'

const COLUMNS = `subject, subject_id, step, at, samples, cpu, load, memory_used, memory_total, disk_used,
  disk_total, disk_read, disk_written, network_in, network_out`

/**
 * Partitions samples by step and day: dropping a partition is much faster than deleting its rows. Partitions are
 * created in advance. The console's role owns no tables, so it calls functions of the owner, which create and drop
 * partitions.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('alter table metric_samples rename to metric_samples_before')
    this.schema.raw('alter index metric_samples_pkey rename to metric_samples_before_pkey')
    this.schema.raw(
      'alter index metric_samples_step_at_index rename to metric_samples_before_at_index'
    )
    this.schema.raw(
      'create table metric_samples (like metric_samples_before) partition by list (step)'
    )
    this.schema.raw('alter table metric_samples add primary key (subject, subject_id, step, at)')
    this.schema.raw('create index metric_samples_at on metric_samples (at)')
    for (const step of [60, 300, 3_600]) {
      this.schema.raw(
        `create table metric_samples_${step} partition of metric_samples
         for values in (${step}) partition by range (at)`
      )
    }
    this.schema.raw(`
      create function make_metric_day(day date) returns void
      language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        part text;
        part_step int;
      begin
        perform pg_advisory_xact_lock(hashtext('metric_days'));
        foreach part_step in array array[60, 300, 3600] loop
          part := format('metric_samples_%s_%s', part_step, to_char(day, 'YYYYMMDD'));
          continue when to_regclass(part) is not null;
          execute format(
            'create table %I partition of %I for values from (%L) to (%L)',
            part, 'metric_samples_' || part_step, day || ' 00:00:00+00', day + 1 || ' 00:00:00+00');
        end loop;
      end $$`)
    this.schema.raw(`
      create function drop_metric_days(of_step int, before date) returns int
      language plpgsql security definer set search_path = public, pg_temp as $$
      declare
        part text;
        dropped int := 0;
      begin
        perform pg_advisory_xact_lock(hashtext('metric_days'));
        for part in
          select inhrelid::regclass::text from pg_inherits
          where inhparent = format('metric_samples_%s', of_step)::regclass
            and to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD') < before
        loop
          execute format('drop table %I', part);
          dropped := dropped + 1;
        end loop;
        return dropped;
      end $$`)
    this.schema.raw(`
      select make_metric_day(day) from (
        select distinct (at at time zone 'UTC')::date as day from metric_samples_before
        union select (now() at time zone 'UTC')::date + ahead from generate_series(0, 3) as ahead
      ) as days`)
    this.schema.raw(
      `insert into metric_samples (${COLUMNS}) select ${COLUMNS} from metric_samples_before`
    )
    this.schema.raw('drop table metric_samples_before')
  }

  async down() {
    this.schema.raw('create table metric_samples_after (like metric_samples)')
    this.schema.raw('insert into metric_samples_after select * from metric_samples')
    this.schema.raw('drop table metric_samples')
    this.schema.raw('alter table metric_samples_after rename to metric_samples')
    this.schema.raw('alter table metric_samples add primary key (subject, subject_id, step, at)')
    this.schema.raw('create index metric_samples_step_at_index on metric_samples (step, at)')
    this.schema.raw('drop function drop_metric_days(int, date)')
    this.schema.raw('drop function make_metric_day(date)')
  }
}
