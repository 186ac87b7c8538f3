import { openHome } from './berth_home.js'
import { openDatabase } from './postgres/open_database.js'
import { selectRows } from './postgres/connections.js'
import { print } from './print.js'

/** An email that was not sent: no mail server is configured, or the email waits for a retry or has failed. */
export interface UnsentMail {
  id: number
  to: string
  from: string
  subject: string
  text: string
  html: string | null
  created_at: string
}

export async function printUnsentMails(asJson: boolean): Promise<number> {
  const database = await openDatabase(await openHome())
  try {
    const [{ hasTable }] = await selectRows<{ hasTable: boolean }>(
      database.appUrl,
      `select to_regclass('outbox_mails') is not null as "hasTable"`
    )
    const mails = hasTable
      ? await selectRows<UnsentMail>(
          database.appUrl,
          `select id::float8 as id, "to", "from", subject, text, html, created_at
           from outbox_mails where sent_at is null order by id`
        )
      : []
    if (asJson) {
      print(JSON.stringify(mails, null, 2))
    } else if (mails.length === 0) {
      print(
        'No unsent emails. While SMTP_URL is not set, Berth stores emails here instead of sending them.'
      )
    } else {
      for (const mail of mails) print(forPeople(mail))
    }
  } finally {
    await database.stop()
  }
  return 0
}

function forPeople(mail: UnsentMail): string {
  return [
    `#${mail.id}  ${new Date(mail.created_at).toISOString()}`,
    `From:    ${mail.from}`,
    `To:      ${mail.to}`,
    `Subject: ${mail.subject}`,
    '',
    mail.text,
    '',
  ].join('\n')
}
