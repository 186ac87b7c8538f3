import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Tables of the mail service: who may send, what was accepted, each attempt, what came back. The console cannot
 * read them; it asks the service.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('create schema if not exists mail')
    this.schema.raw(`
      create table mail.senders (
        -- The console's number; 0 is the product itself.
        id integer primary key,
        account_id integer not null,
        email text not null,
        state text not null default 'active',
        hourly_limit integer not null default 1000,
        track_opens boolean not null default false,
        created_at timestamptz(3) not null default now()
      );

      create table mail.keys (
        id bigint generated always as identity primary key,
        sender_id integer not null references mail.senders on delete cascade,
        secret_digest bytea not null unique,
        secret text not null,
        expires_at timestamptz(3),
        created_at timestamptz(3) not null default now()
      );
      create index on mail.keys (sender_id);

      create table mail.domains (
        id integer primary key,
        account_id integer not null,
        domain text not null,
        state text not null default 'pending',
        -- Selectors that were given out: none is used twice.
        selectors integer not null default 0,
        created_at timestamptz(3) not null default now()
      );
      create unique index on mail.domains (domain) where state = 'active';

      create table mail.dkim_keys (
        domain_id integer not null references mail.domains on delete cascade,
        selector text not null,
        -- PKCS #8, sealed.
        private_key text not null,
        -- Base64 of SubjectPublicKeyInfo, as in the record.
        public_key text not null,
        state text not null,
        created_at timestamptz(3) not null default now(),
        retired_at timestamptz(3),
        primary key (domain_id, selector)
      );
      create unique index on mail.dkim_keys (domain_id) where state = 'active';
      create unique index on mail.dkim_keys (domain_id) where state = 'next';

      -- One for each recipient. Its number is time-ordered (RFC 9562, version 7).
      create table mail.messages (
        id uuid primary key,
        sender_id integer not null,
        account_id integer not null,
        state text not null,
        recipient text not null,
        -- Domain of the recipient in lower case: what shaping and order are about.
        destination text not null,
        subject text not null,
        tags text[] not null default '{}',
        -- Words are forgotten once it is final.
        secret boolean not null default false,
        attempts smallint not null default 0,
        -- When it is due; of one that is being sent, when its lease ends.
        next_at timestamptz(3) not null,
        -- Who has it while it is being sent.
        lease uuid,
        -- 24 h after it was due for the first time.
        expires_at timestamptz(3) not null,
        code smallint,
        enhanced text,
        reason text,
        created_at timestamptz(3) not null default now(),
        final_at timestamptz(3),
        -- What is sent.
        content_id uuid
      ) with (fillfactor = 80);
      create index messages_due on mail.messages (next_at) where state in ('scheduled', 'queued', 'sending');
      -- What each destination has waiting: one that stands still costs the others nothing.
      create index messages_by_destination on mail.messages (destination, next_at)
        where state in ('scheduled', 'queued', 'sending');
      create index messages_final on mail.messages (final_at) where final_at is not null;
      create index on mail.messages (content_id);
      create index messages_of_sender on mail.messages (sender_id, id desc);
      create index messages_by_state on mail.messages (sender_id, state, id desc);

      -- What is sent, byte for byte; several recipients of one submission share it. Pruned before its messages are.
      create table mail.contents (
        id uuid primary key,
        raw bytea not null,
        created_at timestamptz(3) not null default now()
      ) with (toast_tuple_target = 8160);
      alter table mail.contents alter column raw set storage external;
      create index on mail.contents (created_at);

      create table mail.attempts (
        message_id uuid not null,
        number smallint not null,
        at timestamptz(3) not null,
        outcome text not null,
        host text,
        tls text,
        code smallint,
        enhanced text,
        answer text not null,
        -- Milliseconds.
        took integer not null,
        primary key (message_id, number)
      );

      -- What a call with an idempotency key answered. Kept for a day.
      create table mail.idempotency (
        sender_id integer not null,
        key text not null,
        -- Of what was asked: the same key with something else is refused.
        digest bytea not null,
        ids uuid[] not null,
        created_at timestamptz(3) not null default now(),
        primary key (sender_id, key)
      );
      create index on mail.idempotency (created_at);

      create table mail.suppressions (
        sender_id integer not null references mail.senders on delete cascade,
        -- In lower case.
        recipient text not null,
        reason text not null,
        detail text not null default '',
        message_id uuid,
        created_at timestamptz(3) not null default now(),
        primary key (sender_id, recipient)
      );

      -- Counted in the transaction that accepts, delivers, bounces.
      create table mail.usage (
        sender_id integer not null,
        account_id integer not null,
        day date not null,
        accepted bigint not null default 0,
        delivered bigint not null default 0,
        bounced bigint not null default 0,
        complained bigint not null default 0,
        opened bigint not null default 0,
        primary key (sender_id, day)
      );
      create index on mail.usage (day);

      -- What happened to a message, each once.
      create table mail.events (
        id uuid primary key,
        sender_id integer not null,
        message_id uuid not null,
        type text not null,
        detail text not null default '',
        at timestamptz(3) not null default now(),
        unique (message_id, type)
      );
      create index on mail.events (at);

      create table mail.webhooks (
        id bigint generated always as identity primary key,
        sender_id integer not null references mail.senders on delete cascade,
        url text not null,
        events text[] not null,
        secret text not null,
        active boolean not null default true,
        created_at timestamptz(3) not null default now()
      );
      create index on mail.webhooks (sender_id);

      create table mail.deliveries (
        webhook_id bigint not null references mail.webhooks on delete cascade,
        event_id uuid not null references mail.events on delete cascade,
        state text not null default 'waiting',
        attempts smallint not null default 0,
        next_at timestamptz(3) not null default now(),
        status smallint,
        answer text,
        primary key (webhook_id, event_id)
      );
      create index on mail.deliveries (next_at) where state = 'waiting';
      create index on mail.deliveries (webhook_id, next_at) where state = 'waiting';
      create index on mail.deliveries (event_id);
    `)
  }

  async down() {
    this.schema.raw('drop schema mail cascade')
    this.schema.raw('create schema mail')
  }
}
