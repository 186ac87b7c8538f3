import { useState } from 'react'
import { Switch } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { call } from '~/call'
import { Link } from '~/components/link'
import { useCall } from '~/components/use_call'
import styles from '~/components/vault/vault.module.css'
import { visit } from '~/visit'
import type { EmailPage } from './types'

/** How an address sends, a test of it, and the end of it. */
export function Settings({ page, barred }: { page: EmailPage; barred: string | null }) {
  const { email, facts, domain, own, problem } = page
  const [ending, end] = useState(false)
  const { busy, run } = useCall()

  return (
    <>
      <section className={styles.part} aria-label="Sending">
        <header className={styles.head}>
          <h2>Sending</h2>
        </header>
        <div className={styles.row}>
          <DisabledReason
            variant="default"
            reason={barred}
            loading={busy === '/email/test'}
            onClick={() => void run('/email/test', { id: email.id })}
          >
            Send a test
          </DisabledReason>
          <p className={styles.calm}>A mail to {own}, by the same call that programs make.</p>
        </div>
        <p className={styles.calm}>
          {facts
            ? `At most ${facts.hourly_limit} mails an hour. Ask support for more.`
            : (problem ?? 'Once it is verified, its limits stand here.')}
        </p>
        <p className={styles.calm}>
          {domain ? (
            <>
              Its domain: <Link href={`/email/domain/${domain.id}`}>{domain.domain}</Link> (
              {domain.status}).
            </>
          ) : (
            <>
              Its domain is not in <Link href="/email/list?tab=domains">your list</Link>: with its
              records there, mail is signed as your own and arrives more surely.
            </>
          )}
        </p>
      </section>
      <section className={styles.part} aria-label="Opening">
        <header className={styles.head}>
          <h2>Opening</h2>
        </header>
        <Switch
          label="Tell when mails are opened"
          description="By a small picture in each HTML mail. Readers are not asked; many programs load it by themselves or not at all."
          checked={facts?.track_opens ?? false}
          disabled={barred !== null || facts === null || busy !== null}
          onChange={({ currentTarget: { checked } }) =>
            void run('/email/update', { id: email.id, track_opens: checked })
          }
        />
      </section>
      <section className={styles.part} aria-label="Delete this address">
        <header className={styles.head}>
          <h2>Delete this address</h2>
          <DisabledReason color="red" variant="outline" onClick={() => end(true)}>
            Delete address
          </DisabledReason>
        </header>
        <p className={styles.calm}>What waits is not sent any more, and its secret key ends.</p>
      </section>
      <DangerDialog
        opened={ending}
        title={`Delete ${email.email}`}
        name={email.email}
        mismatch="This is not the address."
        losses={['Mails that wait', 'Its secret key, suppression list and webhooks']}
        confirm="Delete address"
        onClose={() => end(false)}
        onConfirm={async (typed) => {
          // Nothing of the page is read anew: there is nothing to read.
          const answer = await call('/email/delete', {
            data: { id: email.id, email: typed },
            toasts: 'successes',
          })
          if (answer.success) visit('/email/list')
          return answer
        }}
      />
    </>
  )
}
