import { appUrl } from '#config/app'
import type { MailMessage } from '#core/mail/render_mail'
import { defineMailKind } from '#core/mail/mail_kinds'

const ADVICE =
  'Solve this problem. Then create a backup on the page of the database to check it. If you cannot solve it, contact support.'
const FOOTNOTE =
  'Berth tries again every night. You get the next email of this kind only after a nightly backup has worked.'

const nightlyBackupsFailMailKind = defineMailKind({
  name: 'databases.backups_fail',
  label: 'Nightly backups of a database fail',
  subject: 'Nightly backups of {database} have stopped',
  intro:
    'The last {count} attempts to back up your database {database} at night failed. Last complete nightly backup: {last}.',
  placeholders: { database: 'shop', count: '3', last: '2026-11-27' },
  sample: {
    title: 'Nightly backups of shop have stopped',
    details: [['Reason', 'The backups of one account may take up 20.0 GB on the managed server.']],
    paragraphs: [ADVICE],
    button: { label: 'View database', href: `${appUrl}/database/mysql/…` },
    footnote: FOOTNOTE,
  },
})

/** @param last day of the last successful nightly backup; `none` if there is none */
export function nightlyBackupsFailMail(
  to: string,
  values: { database: string; count: string; last: string },
  { path, reason }: { path: string; reason: string }
): MailMessage {
  return {
    to,
    kind: nightlyBackupsFailMailKind,
    values,
    title: `Nightly backups of ${values.database} have stopped`,
    details: [['Reason', reason]],
    paragraphs: [ADVICE],
    button: { label: 'View database', href: `${appUrl}${path}` },
    footnote: FOOTNOTE,
  }
}

export const mails = [nightlyBackupsFailMailKind]
