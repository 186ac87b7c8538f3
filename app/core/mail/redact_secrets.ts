import db from '@adonisjs/lucid/services/db'

export const REDACTED_BODY_TEXT = 'This email contained a code and is no longer stored.'

/** Redacts emails whose secret has expired, and, if it contains a secret, the email with the id `sent`. */
export async function redactMailSecrets(sent: number | null = null): Promise<void> {
  await db.rawQuery(
    `update outbox_mails set subject = coalesce(plain_subject, subject), text = ?, html = null,
       secret_until = null
     where secret_until is not null and (id = ? or secret_until < now())`,
    [REDACTED_BODY_TEXT, sent]
  )
}
