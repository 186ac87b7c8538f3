import { listMemberEmails } from '#accounts/public'
import { sendMails } from '#core/mail/send_mail'
import { nightlyBackupsFailMail } from '#databases/mails'
import Database from '#databases/models/database'
import { nameWithoutPrefix } from '#databases/names'
import {
  type FailingNightlyBackup,
  listFailingNightlyBackups,
} from '#databases/queries/failing_nightly_backups'
import { databaseNamePrefix } from '#databases/transformers/database'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

const MAX_REASON_LENGTH = 500

/**
 * Emails the owners and developers of an account when the nightly backups of a database have failed repeatedly.
 * They get no further email until a nightly backup of that database has succeeded or nightly backups were off.
 */
export async function mailFailingNightlyBackups(): Promise<void> {
  const failing = await listFailingNightlyBackups()
  await Database.query()
    .whereNotNull('backupFailureMailedAt')
    .whereNotIn(
      'id',
      failing.map(({ id }) => id)
    )
    .update({ backupFailureMailedAt: null })
  for (const each of failing) if (!each.mailedAt) await mailOnce(each)
}

async function mailOnce({ id, accountId, ...failure }: FailingNightlyBackup): Promise<void> {
  await db.transaction(async (trx) => {
    const database = await Database.query({ client: trx })
      .where('id', id)
      .whereNull('backupFailureMailedAt')
      .forUpdate()
      .first()
    if (!database) return
    await database.merge({ backupFailureMailedAt: DateTime.utc() }).save()
    const { lastGoodAt, failures, error } = failure
    const values = {
      database: nameWithoutPrefix({ prefix: databaseNamePrefix(database) }, database.name),
      count: String(failures),
      last: lastGoodAt ? DateTime.fromJSDate(lastGoodAt, { zone: 'utc' }).toISODate()! : 'none',
    }
    const reason = (error ?? 'Unknown.').slice(0, MAX_REASON_LENGTH)
    const emails = (await listMemberEmails([accountId], ['owner', 'developer'], trx)).get(
      accountId
    )!
    const path = `/database/${database.engine}/${id}`
    await sendMails(
      emails.map((email) => nightlyBackupsFailMail(email, values, { path, reason })),
      trx
    )
  })
}
