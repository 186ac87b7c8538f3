import { useState } from 'react'
import { Switch } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { call } from '~/api_call'
import { ContentSection } from '~/components/content_section'
import { Link } from '~/components/link'
import { useApiCall } from '~/components/use_api_call'
import styles from '~/components/vault/vault.module.css'
import { visit } from '~/visit'
import type { SenderPage } from './types'

export function SenderSettings({ page, barred }: { page: SenderPage; barred: string | null }) {
  const { email, facts, domain, own, problem } = page
  const [ending, end] = useState(false)
  const { busy, run } = useApiCall()

  return (
    <>
      <ContentSection title="Sending">
        <div className={styles.row}>
          <ButtonWithDisabledReason
            variant="default"
            reason={barred}
            loading={busy === '/email/test'}
            onClick={() => void run('/email/test', { id: email.id })}
          >
            Send test
          </ButtonWithDisabledReason>
          <p className={styles.calm}>
            {`Sends a test email to ${own} through the API that your programs use.`}
          </p>
        </div>
        <p className={styles.calm}>
          {facts
            ? `Sending limit: ${facts.hourly_limit} emails per hour. Ask support to raise it.`
            : (problem ?? 'The sending limit appears here after the address is verified.')}
        </p>
        <p className={styles.calm}>
          {domain ? (
            <>
              Domain: <Link href={`/email/domain/${domain.id}`}>{domain.domain}</Link> (
              {domain.status}).
            </>
          ) : (
            <>
              The domain of this address is not in your list. If you add it and publish its DNS
              records, your email is signed and is less likely to be marked as spam. Add it under{' '}
              <Link href="/email/list?tab=domains">Domains</Link>.
            </>
          )}
        </p>
      </ContentSection>
      <ContentSection title="Opened emails">
        <Switch
          label="Track opened emails"
          description="Adds a small picture to each HTML email. Berth counts the email as opened when the picture is loaded. Recipients are not asked for consent. Some mail programs always load pictures and others never do, so the numbers are estimates."
          checked={facts?.track_opens ?? false}
          disabled={barred !== null || facts === null || busy !== null}
          onChange={({ currentTarget: { checked } }) =>
            void run('/email/update', { id: email.id, track_opens: checked })
          }
        />
      </ContentSection>
      <ContentSection
        title="Delete this address"
        action={
          <ButtonWithDisabledReason color="red" variant="outline" onClick={() => end(true)}>
            Delete address
          </ButtonWithDisabledReason>
        }
      >
        <p className={styles.calm}>
          If you delete the address, its waiting messages are not sent and its secret key stops
          working.
        </p>
      </ContentSection>
      <DangerDialog
        opened={ending}
        title={`Delete ${email.email}`}
        name={email.email}
        mismatch="This does not match the address."
        losses={['Its waiting messages', 'Its secret key, suppression list and webhooks']}
        confirm="Delete address"
        onClose={() => end(false)}
        onConfirm={async (typed) => {
          // After this call, the sender address no longer exists, so the page's props must not be reloaded.
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
