import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds the installation's backup settings and the results of backups (docs/decisions/0047). */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table backup_plan (
        one boolean primary key default true check (one),
        place text not null,
        access_key_id text,
        -- Sealed.
        secret_access_key text,
        region text,
        active boolean not null,
        -- Minutes between two points.
        every integer not null check (every between 5 and 1440),
        -- The hour of the day (of the business) from which on a full one is made.
        full_hour integer not null check (full_hour between 0 and 23),
        keep jsonb not null,
        -- Whether the target was seen to be usable.
        state text not null check (state in ('new', 'ready', 'refused')),
        trouble text
      );

      create table backups (
        id bigint generated always as identity primary key,
        kind text not null check (kind in ('full', 'point', 'instance', 'drill')),
        -- Of an instance: its name in Incus, and whose page shows it.
        system_id text,
        server_instance_id bigint,
        status text not null check (status in ('running', 'done', 'failed')),
        operation_id uuid,
        started_at timestamptz(3) not null default now(),
        ended_at timestamptz(3),
        -- Everything that was acknowledged before is in it.
        at timestamptz(3),
        bytes bigint,
        added bigint,
        -- What a drill compared.
        facts jsonb,
        -- How far it is; why it failed.
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
