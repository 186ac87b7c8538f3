import type { Audience } from '#core/contracts/actor'
import { sendMail } from '#core/mail/send_mail'
import { codeMail, type CodePurpose } from '#identity/mails'
import { codeNoLongerValid, wrongCode } from '#identity/errors'
import env from '#start/env'
import db from '@adonisjs/lucid/services/db'
import { createHmac, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'

export const ONE_TIME_CODE_LIMITS = { digits: 6, minutes: 10, tries: 5, resendSeconds: 60 }

export interface PendingCode {
  /** Random id of the code. Pages show it, so it reveals nothing about the person. */
  id: string
  email: string
  /** ISO time from which another code can be sent. */
  resendAt: string
}

interface Issue {
  audience: Audience
  purpose: CodePurpose
  email: string
  personId?: number
  /**
   * Whether to send the email. Default true. False if a code for staff is requested, but no enabled member of staff
   * has the address. Nothing else changes, so neither the response nor its time reveals whether an address has an
   * account.
   */
  deliver?: boolean
}

/** Creates a code and sends it by email. Returns the data about it that the session must store. */
export async function issueCode(issue: Issue): Promise<PendingCode> {
  const { audience, purpose, personId, deliver = true } = issue
  const email = issue.email.toLowerCase()
  const id = randomUUID()
  const code = String(randomInt(10 ** ONE_TIME_CODE_LIMITS.digits)).padStart(
    ONE_TIME_CODE_LIMITS.digits,
    '0'
  )
  await db.transaction(async (trx) => {
    await trx
      .insertQuery()
      .table('one_time_codes')
      .insert({
        id,
        audience,
        purpose,
        email,
        person_id: personId ?? null,
        code_hash: hashOf(id, code),
        expires_at: new Date(Date.now() + ONE_TIME_CODE_LIMITS.minutes * 60_000),
      })
    const mail = await trx.transaction()
    await sendMail(codeMail(purpose, audience, email, code, ONE_TIME_CODE_LIMITS.minutes), mail)
    await (deliver ? mail.commit() : mail.rollback())
  })
  return {
    id,
    email,
    resendAt: new Date(Date.now() + ONE_TIME_CODE_LIMITS.resendSeconds * 1_000).toISOString(),
  }
}

/** Hashes a code with a secret key. From a leaked hash without a key, six digits could be found immediately. */
function hashOf(id: string, code: string): string {
  return createHmac('sha256', env.get('APP_KEY').release()).update(`${id}:${code}`).digest('hex')
}

export interface ProvenEmail {
  email: string
  personId: number | null
}

/**
 * Checks a code, and marks it as used. Counts each attempt before the comparison.
 * @throws `codeNoLongerValid` or `wrongCode`
 */
export async function redeemCode(
  id: string,
  purpose: CodePurpose,
  code: string
): Promise<ProvenEmail> {
  const { rows } = await db.rawQuery(
    `update one_time_codes set tries = tries + 1
     where id = ? and purpose = ? and used_at is null and tries < ? and expires_at > now()
     returning email, person_id, code_hash, tries`,
    [id, purpose, ONE_TIME_CODE_LIMITS.tries]
  )
  const row: { email: string; person_id: number | null; code_hash: string; tries: number } = rows[0]
  if (!row) throw codeNoLongerValid()
  const inputHash = Buffer.from(hashOf(id, code.trim()), 'hex')
  if (!timingSafeEqual(inputHash, Buffer.from(row.code_hash, 'hex'))) {
    throw row.tries >= ONE_TIME_CODE_LIMITS.tries ? codeNoLongerValid() : wrongCode()
  }
  const used = await db
    .from('one_time_codes')
    .where('id', id)
    .whereNull('used_at')
    .update({ used_at: new Date() })
  if (Number(used) !== 1) throw codeNoLongerValid()
  return { email: row.email, personId: row.person_id }
}
