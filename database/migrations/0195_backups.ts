import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the installation's backup settings and the results of backups (docs/decisions/0047). */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table backup_plan (
        one boolean primary key default true check (one),
        place text not null,
        access_key_id text,
        -- Encrypted.
        secret_access_key text,
        region text,
        active boolean not null,
        -- Minutes between two backup points.
        every integer not null check (every between 5 and 1440),
        -- Hour after which the daily full backup starts, in the business's time zone.
        full_hour integer not null check (full_hour between 0 and 23),
        keep jsonb not null,
        -- Result of the last check of the target.
        state text not null check (state in ('new', 'ready', 'refused')),
        trouble text
      );

      create table backups (
        id bigint generated always as identity primary key,
        kind text not null check (kind in ('full', 'point', 'instance', 'drill')),
        -- For backups of instances: the name in Incus, and the instance whose page shows the backup.
        system_id text,
        server_instance_id bigint,
        status text not null check (status in ('running', 'done', 'failed')),
        operation_id uuid,
        started_at timestamptz(3) not null default now(),
        ended_at timestamptz(3),
        -- The backup contains every write that was acknowledged before this time.
        at timestamptz(3),
        bytes bigint,
        added bigint,
        -- Numbers of the tables, files and secrets that a restore test compared.
        facts jsonb,
        -- Progress of a running job, or the reason of a failure.
        note text,
        share real,
        error text,
        check ((kind = 'instance') = (system_id is not null))
      );
      create index on backups (kind, started_at desc);
      create index on backups (status, started_at desc);
      create index on backups (started_at desc)`)
  }

  async down() {
    this.schema.raw('drop table backups; drop table backup_plan')
  }
}
