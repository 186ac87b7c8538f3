import { randomInt } from 'node:crypto'
import type { ControlHandlers } from '#packages/service/control_handler'
import { mailErrors } from '../errors.js'
import { digestOf } from '../sender_authenticator.js'
import type { SenderState } from '../types.js'
import type { ControlApi, SenderInfo } from './contract.js'
import type { ControlDeps } from './server.js'

type Calls = 'makeSender' | 'changeSender' | 'senders' | 'rotateSecret'

/** Handles calls about senders. The sender with ID 0 is Berth itself and cannot be changed. */
export function senderHandlers({
  database,
  seal,
  senders,
  outgoing,
}: ControlDeps): Pick<ControlHandlers<ControlApi>, Calls> {
  const addSecret = async (id: number): Promise<string> => {
    const secret = word(40)
    await database.rows(
      'insert into mail.keys (sender_id, secret_digest, secret) values ($1, $2, $3)',
      [id, digestOf(secret), seal.encrypt(secret)]
    )
    return secret
  }

  return {
    async makeSender({ id, accountId, email }) {
      if (id < 1) throw mailErrors.exists()
      await database.rows(
        'insert into mail.senders (id, account_id, email) values ($1, $2, $3) on conflict do nothing',
        [id, accountId, email]
      )
      const sender = await database.row(
        'select from mail.senders where id = $1 and account_id = $2 and email = $3',
        [id, accountId, email]
      )
      if (!sender) throw mailErrors.exists()
      const key = await database.row<{ secret: string }>(
        'select secret from mail.keys where sender_id = $1 and expires_at is null order by id desc limit 1',
        [id]
      )
      return { secret: key ? seal.decrypt(key.secret) : await addSecret(id) }
    },

    async changeSender({ id, state, hourlyLimit, trackOpens }) {
      const changed = await database.row<{ state: SenderState }>(
        `update mail.senders set state = coalesce($2, state), hourly_limit = coalesce($3, hourly_limit),
           track_opens = coalesce($4, track_opens) where id = $1 and id > 0 returning state`,
        [id, state ?? null, hourlyLimit ?? null, trackOpens ?? null]
      )
      if (!changed) throw mailErrors.noSender()
      if (changed.state === 'deleted') {
        await database.rows(
          `update mail.messages set state = 'cancelled', final_at = now(), reason = 'The sender was deleted.'
           where sender_id = $1 and state in ('scheduled', 'queued')`,
          [id]
        )
      }
      senders.forget()
      if (state) outgoing.wake()
      return {}
    },

    async senders({ ids }) {
      return database.rows<SenderInfo>(
        `select s.id, s.state, s.hourly_limit as "hourlyLimit", s.track_opens as "trackOpens",
           coalesce(w.waiting, 0) as waiting, coalesce(w.scheduled, 0) as scheduled,
           json_build_object('accepted', coalesce(u.accepted, 0), 'delivered', coalesce(u.delivered, 0),
             'bounced', coalesce(u.bounced, 0), 'complained', coalesce(u.complained, 0)) as month
         from mail.senders s
         left join lateral (
           select count(*) as waiting, count(*) filter (where m.state = 'scheduled' and m.next_at > now()) as scheduled
           from mail.messages m where m.sender_id = s.id and m.state in ('scheduled', 'queued', 'sending')
         ) w on true
         left join lateral (
           select sum(accepted) as accepted, sum(delivered) as delivered, sum(bounced) as bounced,
             sum(complained) as complained
           from mail.usage u where u.sender_id = s.id
             and u.day >= date_trunc('month', now() at time zone 'UTC')
         ) u on true
         where s.id = any ($1) order by s.id`,
        [ids]
      )
    },

    async rotateSecret({ id, overlap }) {
      const known = await database.row('select from mail.senders where id = $1 and id > 0', [id])
      if (!known) throw mailErrors.noSender()
      // The old secret expires after `overlap` seconds, or at its present time of expiry if that is earlier.
      await database.rows(
        `update mail.keys set expires_at = least(expires_at, now() + make_interval(secs => $2))
         where sender_id = $1 and (expires_at is null or expires_at > now())`,
        [id, overlap]
      )
      const secret = await addSecret(id)
      senders.forget()
      return { secret }
    },
  }
}

const KEY_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Returns random letters and digits, so that a secret never needs escaping. */
function word(length: number): string {
  return Array.from({ length }, () => KEY_ALPHABET[randomInt(KEY_ALPHABET.length)]).join('')
}
