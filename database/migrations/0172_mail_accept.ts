import { BaseSchema } from '@adonisjs/lucid/schema'

/**
 * `mail.accept` (0143) with half as many SQL statements, because starting statements takes most of a call's time.
 * Nested arrays are passed as separate lists, and the function looks up and writes only values that exist. The old
 * function stays for processes of the previous release.
 * Arguments:
 * - senders: the senders of all calls, each once, sorted.
 * - calls: [{ at, sender, key, idempotency, digest, count }]
 * - messages: [{ at, sender, id, content, recipient, destination, subject, tags, secret, due }]
 * - contents: [{ at, id, start, length }], as ranges of body.
 */
const accept = `
  create function mail.accept(senders integer[], calls jsonb, messages jsonb, contents jsonb, body bytea, plan integer[])
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
    keyed boolean := false;
  begin
    -- Serializes calls for the same sender in all processes, so that limits are exact.
    foreach of_sender in array senders loop
      perform pg_advisory_xact_lock(7461, of_sender);
    end loop;
    of_sender := null;
    for one in
      select c.at, c.sender, c.count, s.state, s.hourly_limit, c.key is null or k.id is not null as has_key,
        c.idempotency is not null as has_idempotency, i.ids as before, i.digest = decode(c.digest, 'hex') as is_same
      from jsonb_to_recordset(calls)
        as c(at integer, sender integer, key text, idempotency text, digest text, count integer)
      left join mail.senders s on s.id = c.sender
      left join mail.keys k on k.secret_digest = decode(c.key, 'hex') and k.sender_id = c.sender
        and (k.expires_at is null or k.expires_at > now())
      left join mail.idempotency i on i.sender_id = c.sender and i.key = c.idempotency
      order by c.sender, c.at
    loop
      at := one.at;
      ids := null;
      if of_sender is distinct from one.sender then
        of_sender := one.sender;
        -- Messages accepted today, and the number of earlier days with messages. The limit is null after the plan's last day.
        select coalesce(sum(u.accepted) filter (where u.day = today), 0),
          coalesce(sum(u.hour_accepted) filter (where u.day = today and u.hour = this_hour), 0),
          plan[count(*) filter (where u.day < today) + 1]
          into in_day, in_hour, day_limit
          from (
            select u.day, u.accepted, u.hour, u.hour_accepted from mail.usage u
            where u.sender_id = of_sender and u.day <= today and u.accepted > 0
            order by u.day desc limit cardinality(plan) + 1
          ) u;
      end if;
      if one.before is not null then
        outcome := case when one.is_same then 'again' else 'reused' end;
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
        keyed := keyed or one.has_idempotency;
        in_hour := in_hour + one.count;
        in_day := in_day + one.count;
      end if;
      return next;
    end loop;
    if taken = '{}' then return; end if;

    with kept as (
      insert into mail.contents (id, raw)
      select c.id, substring(body from c.start + 1 for c.length)
      from jsonb_to_recordset(contents) as c(at integer, id uuid, start integer, length integer)
      where c.at = any (taken)
    ), made as (
      insert into mail.messages (id, sender_id, account_id, content_id, state, recipient, destination, subject,
        tags, secret, next_at, expires_at, reason, final_at)
      select m.id, m.sender, s.account_id, m.content,
        case when x.reason is not null then 'suppressed' when m.due > now() then 'scheduled' else 'queued' end,
        m.recipient, m.destination, m.subject, coalesce(m.tags, '{}'), coalesce(m.secret, false),
        coalesce(m.due, now()), coalesce(m.due, now()) + interval '24 hours',
        x.reason, case when x.reason is not null then now() end
      from jsonb_to_recordset(messages) as m(at integer, sender integer, id uuid, content uuid, recipient text,
        destination text, subject text, tags text[], secret boolean, due timestamptz)
      join mail.senders s on s.id = m.sender
      left join mail.suppressions x on x.sender_id = m.sender and x.recipient = lower(m.recipient)
      where m.at = any (taken)
      returning sender_id, account_id, state
    )
    insert into mail.usage as u (sender_id, account_id, day, accepted, hour, hour_accepted)
      select sender_id, account_id, today, count(*), this_hour, count(*) from made
      where state <> 'suppressed' group by sender_id, account_id order by sender_id
    on conflict (sender_id, day) do update set accepted = u.accepted + excluded.accepted,
      hour_accepted = excluded.hour_accepted + case when u.hour = excluded.hour then u.hour_accepted else 0 end,
      hour = excluded.hour;
    if keyed then
      insert into mail.idempotency (sender_id, key, digest, ids)
        select c.sender, c.idempotency, decode(c.digest, 'hex'),
          array(select m.id from jsonb_to_recordset(messages) as m(at integer, id uuid) where m.at = c.at)
        from jsonb_to_recordset(calls) as c(at integer, sender integer, idempotency text, digest text)
        where c.at = any (taken) and c.idempotency is not null;
    end if;
  end $$;
`

export default class extends BaseSchema {
  async up() {
    this.schema.raw(accept)
  }

  async down() {
    this.schema.raw('drop function mail.accept(integer[], jsonb, jsonb, jsonb, bytea, integer[])')
  }
}
