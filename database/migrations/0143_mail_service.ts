import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * Accepts a group of calls in one transaction, each completely or not at all. Returns one outcome per call:
 * - "ok": its messages are stored and counted, and those to suppressed recipients have the state "suppressed".
 * - "again": the idempotency key was used with the same digest. "ids" are those of the first call.
 * - "reused": the idempotency key was used with another digest.
 * - "key": the API key has expired, or the sender or key does not exist.
 * - "paused", "suspended", "deleted": the state of the sender.
 * - "hour", "day": the call would exceed that limit of the sender.
 *
 * Arguments:
 * - asked: [{ at, sender, key, idempotency, digest, contents: [{ id, start, length }], messages: [{ id,
 *   content, recipient, destination, subject, tags, secret, due }] }]. key: hex of the secret's digest, null
 *   for Berth's own emails. digest: hex.
 * - body: all contents, concatenated.
 * - plan: maximum messages on the sender's first, second, … sending day.
 */
const accept = `
  create function mail.accept(asked jsonb, body bytea, plan integer[])
  returns table (at integer, outcome text, ids uuid[]) language plpgsql as $$
  declare
    today constant date := (now() at time zone 'UTC')::date;
    this_hour constant smallint := extract(hour from now() at time zone 'UTC');
    one record;
    of_sender integer;
    in_hour bigint;
    in_day bigint;
    day_limit bigint;
    taken integer[] := '{}';
  begin
    -- Serializes calls for the same sender in all processes, so that limits are exact.
    perform pg_advisory_xact_lock(7461, s.sender)
      from (select distinct (a->>'sender')::integer as sender from jsonb_array_elements(asked) a order by 1) s;
    for one in
      select a.at, a.sender, jsonb_array_length(a.messages) as count, s.state, s.hourly_limit,
        a.key is null or k.id is not null as has_key, i.ids as before, i.digest as known,
        decode(a.digest, 'hex') as digest
      from jsonb_to_recordset(asked)
        as a(at integer, sender integer, key text, idempotency text, digest text, messages jsonb)
      left join mail.senders s on s.id = a.sender
      left join mail.keys k on k.secret_digest = decode(a.key, 'hex') and k.sender_id = a.sender
        and (k.expires_at is null or k.expires_at > now())
      left join mail.idempotency i on i.sender_id = a.sender and i.key = a.idempotency
      order by a.sender, a.at
    loop
      at := one.at;
      ids := null;
      if of_sender is distinct from one.sender then
        of_sender := one.sender;
        select u.accepted, case when u.hour = this_hour then u.hour_accepted else 0 end into in_day, in_hour
          from mail.usage u where u.sender_id = of_sender and u.day = today;
        in_day := coalesce(in_day, 0);
        in_hour := coalesce(in_hour, 0);
        -- Null after the last day of the plan: no limit.
        select plan[count(*) + 1] into day_limit from (
          select from mail.usage u where u.sender_id = of_sender and u.day < today and u.accepted > 0
          limit cardinality(plan)) days;
      end if;
      if one.before is not null then
        outcome := case when one.known = one.digest then 'again' else 'reused' end;
        ids := one.before;
      elsif one.state is null or not one.has_key then
        outcome := 'key';
      elsif one.state <> 'active' then
        outcome := one.state;
      elsif of_sender <> 0 and in_hour + one.count > one.hourly_limit then
        outcome := 'hour';
      elsif of_sender <> 0 and in_day + one.count > day_limit then
        outcome := 'day';
      else
        outcome := 'ok';
        taken := taken || one.at;
        in_hour := in_hour + one.count;
        in_day := in_day + one.count;
      end if;
      return next;
    end loop;
    if taken = '{}' then return; end if;

    insert into mail.contents (id, raw)
      select c.id, substring(body from c.start + 1 for c.length)
      from jsonb_to_recordset(asked) as a(at integer, contents jsonb),
        jsonb_to_recordset(a.contents) as c(id uuid, start integer, length integer)
      where a.at = any (taken);
    with made as (
      insert into mail.messages (id, sender_id, account_id, content_id, state, recipient, destination, subject,
        tags, secret, next_at, expires_at, reason, final_at)
      select m.id, a.sender, s.account_id, m.content,
        case when x.reason is not null then 'suppressed' when m.due > now() then 'scheduled' else 'queued' end,
        m.recipient, m.destination, m.subject, coalesce(m.tags, '{}'), coalesce(m.secret, false),
        coalesce(m.due, now()), coalesce(m.due, now()) + interval '24 hours',
        x.reason, case when x.reason is not null then now() end
      from jsonb_to_recordset(asked) as a(at integer, sender integer, messages jsonb)
      join mail.senders s on s.id = a.sender
      cross join jsonb_to_recordset(a.messages) as m(id uuid, content uuid, recipient text, destination text,
        subject text, tags text[], secret boolean, due timestamptz)
      left join mail.suppressions x on x.sender_id = a.sender and x.recipient = lower(m.recipient)
      where a.at = any (taken)
      returning sender_id, account_id, state
    )
    insert into mail.usage as u (sender_id, account_id, day, accepted, hour, hour_accepted)
      select sender_id, account_id, today, count(*), this_hour, count(*) from made
      where state <> 'suppressed' group by sender_id, account_id order by sender_id
    on conflict (sender_id, day) do update set accepted = u.accepted + excluded.accepted,
      hour_accepted = excluded.hour_accepted + case when u.hour = excluded.hour then u.hour_accepted else 0 end,
      hour = excluded.hour;
    insert into mail.idempotency (sender_id, key, digest, ids)
      select a.sender, a.idempotency, decode(a.digest, 'hex'),
        array(select (m->>'id')::uuid from jsonb_array_elements(a.messages) m)
      from jsonb_to_recordset(asked)
        as a(at integer, sender integer, idempotency text, digest text, messages jsonb)
      where a.at = any (taken) and a.idempotency is not null;
  end $$;
`

/**
 * The mail service's senders, messages, attempts and events. The console cannot read them and uses the
 * service's API.
 */
export default class extends BaseSchema {
  async up() {
    this.schema.raw('create schema if not exists mail')
    this.schema.raw(`
      create table mail.senders (
        -- ID of the sender in the console. 0: Berth itself.
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
        -- Number of DKIM selectors used so far. No selector is used twice.
        selectors integer not null default 0,
        created_at timestamptz(3) not null default now()
      );
      create unique index on mail.domains (domain) where state = 'active';

      create table mail.dkim_keys (
        domain_id integer not null references mail.domains on delete cascade,
        selector text not null,
        -- PKCS #8, encrypted.
        private_key text not null,
        -- Base64 of SubjectPublicKeyInfo, as in the DNS record.
        public_key text not null,
        state text not null,
        created_at timestamptz(3) not null default now(),
        retired_at timestamptz(3),
        primary key (domain_id, selector)
      );
      create unique index on mail.dkim_keys (domain_id) where state = 'active';
      create unique index on mail.dkim_keys (domain_id) where state = 'next';

      -- One row for each recipient. The ID is a UUID of version 7 (RFC 9562), which sorts by time.
      create table mail.messages (
        id uuid primary key,
        sender_id integer not null,
        account_id integer not null,
        state text not null,
        recipient text not null,
        -- Domain of the recipient in lower case. Rate limits and delivery order apply per domain.
        destination text not null,
        subject text not null,
        tags text[] not null default '{}',
        -- Whether the content is deleted once the state is final.
        secret boolean not null default false,
        attempts smallint not null default 0,
        -- Time of the next attempt. During an attempt: the time at which its lease expires.
        next_at timestamptz(3) not null,
        -- Process that holds the message during an attempt.
        lease uuid,
        -- 24 hours after the first attempt was due.
        expires_at timestamptz(3) not null,
        code smallint,
        enhanced text,
        reason text,
        created_at timestamptz(3) not null default now(),
        final_at timestamptz(3),
        -- The content to send.
        content_id uuid
      ) with (fillfactor = 80);
      create index messages_due on mail.messages (next_at) where state in ('scheduled', 'queued', 'sending');
      -- Waiting messages by destination, so that a blocked destination does not slow down the others.
      create index messages_by_destination on mail.messages (destination, next_at)
        where state in ('scheduled', 'queued', 'sending');
      create index messages_final on mail.messages (final_at) where final_at is not null;
      create index on mail.messages (content_id);
      create index messages_of_sender on mail.messages (sender_id, id desc);
      create index messages_by_state on mail.messages (sender_id, state, id desc);

      -- The sent bytes, which all recipients of one submission share. Deleted earlier than the messages.
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
        -- Duration in milliseconds.
        took integer not null,
        primary key (message_id, number)
      );

      -- Response to a call with an idempotency key, kept for a day.
      create table mail.idempotency (
        sender_id integer not null,
        key text not null,
        -- Digest of the request. The same key with another request is an error.
        digest bytea not null,
        ids uuid[] not null,
        created_at timestamptz(3) not null default now(),
        primary key (sender_id, key)
      );
      create index on mail.idempotency (created_at);

      create table mail.suppressions (
        sender_id integer not null references mail.senders on delete cascade,
        -- Email address in lower case.
        recipient text not null,
        reason text not null,
        detail text not null default '',
        message_id uuid,
        created_at timestamptz(3) not null default now(),
        primary key (sender_id, recipient)
      );

      -- Counters, updated in the transaction that accepts, delivers or bounces a message.
      create table mail.usage (
        sender_id integer not null,
        account_id integer not null,
        day date not null,
        accepted bigint not null default 0,
        delivered bigint not null default 0,
        bounced bigint not null default 0,
        complained bigint not null default 0,
        opened bigint not null default 0,
        -- The last hour (UTC) with accepted messages, and their number.
        hour smallint not null default 0,
        hour_accepted bigint not null default 0,
        primary key (sender_id, day)
      );
      create index on mail.usage (day);

      -- Events of messages, each stored once.
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
    this.schema.raw(`insert into mail.senders (id, account_id, email) values (0, 0, '')`)
    this.schema.raw(accept)
  }

  async down() {
    this.schema.raw('drop schema mail cascade')
    this.schema.raw('create schema mail')
  }
}
