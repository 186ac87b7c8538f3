import { BaseSchema } from '@adonisjs/lucid/schema'

/** Adds live support: one conversation per customer, its messages, and staff's notes (docs/decisions/0032). */
export default class extends BaseSchema {
  async up() {
    this.schema.raw(`
      create table support_conversations (
        -- The customer as a person, independent of their accounts.
        client_id bigint primary key references people (id) on delete cascade,
        status text not null default 'open' check (status in ('waiting', 'open', 'closed')),
        assigned_to bigint references people (id) on delete set null,
        -- Sequence number of the newest message. The next number is assigned under this row's lock.
        last_sequence integer not null default 0,
        -- Sequence number of the last message that each side has read.
        client_read integer not null default 0,
        staff_read integer not null default 0,
        -- Sequence number of the last message that was emailed to the customer.
        mailed integer not null default 0,
        -- Time of the first unanswered message.
        waiting_since timestamptz(3),
        last_at timestamptz(3) not null default now(),
        created_at timestamptz(3) not null default now()
      );
      create index on support_conversations (last_at desc);
      create index on support_conversations (status, last_at desc);

      create table support_messages (
        id bigint generated always as identity primary key,
        client_id bigint not null references support_conversations on delete cascade,
        sequence integer not null,
        sender_id bigint references people (id) on delete set null,
        side text not null check (side in ('client', 'staff')),
        -- Created by the sender's browser, so that a repeated request stores the message once.
        key uuid not null,
        text text not null default '',
        file_type text check (file_type in ('photo', 'document')),
        -- Page from which the customer asks.
        page text,
        -- For replies by staff: the seconds for which the customer had waited.
        waited integer,
        created_at timestamptz(3) not null default now(),
        unique (client_id, sequence),
        unique (client_id, key)
      );
      create index on support_messages using gin (to_tsvector('simple', text));
      create index on support_messages (created_at) where waited is not null;
      create index on support_messages (sender_id, created_at);

      create table support_files (
        id uuid primary key,
        -- Person who uploaded the file. Only their own messages can attach it.
        uploader_id bigint not null references people (id) on delete cascade,
        message_id bigint references support_messages on delete cascade,
        place integer,
        kind text not null check (kind in ('photo', 'document')),
        -- File name that the sender gave.
        name text not null,
        extension text not null,
        bytes bigint not null,
        created_at timestamptz(3) not null default now()
      );
      create index on support_files (message_id);
      create index on support_files (uploader_id) where message_id is null;

      create table support_notes (
        id bigint generated always as identity primary key,
        client_id bigint not null references support_conversations on delete cascade,
        author_id bigint references people (id) on delete set null,
        text text not null,
        created_at timestamptz(3) not null default now()
      );
      create index on support_notes (client_id, id);

      create table support_replies (
        id bigint generated always as identity primary key,
        title text not null unique,
        text text not null,
        created_at timestamptz(3) not null default now()
      );
    `)
  }

  async down() {
    for (const table of ['replies', 'notes', 'files', 'messages', 'conversations']) {
      this.schema.dropTable(`support_${table}`)
    }
  }
}
