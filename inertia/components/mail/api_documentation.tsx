import { useState } from 'react'
import { SegmentedControl } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { FactTable } from '~/components/fact_table'
import styles from '~/components/vault/vault.module.css'
import { exampleOf, languages, type Language } from './examples'
import type { SendingPlace } from './types'

const fields = [
  'sender_email: an address of this list that is verified',
  'sender_name: who it is from, in words',
  'recipient_email and recipient_name: who gets it',
  'subject: one line',
  'mail_body: the mail, in HTML',
]

/** How programs send mail: by HTTP, or by SMTP. */
export function ApiDocumentation({ place, email }: { place: SendingPlace; email?: string }) {
  const [language, setLanguage] = useState<Language>('curl')
  const { mailHost, accessKeyId, submission } = place
  const text = exampleOf(language, { mailHost, accessKeyId, email })
  return (
    <details className={styles.documentation}>
      <summary>API documentation</summary>
      <div className={styles.documented}>
        <p>
          Each call sends <code>X-Access-Key-Id: {accessKeyId}</code> and <code>X-Secret-Key</code>{' '}
          with the secret key of the address, and is answered <code>success</code> and{' '}
          <code>message</code>. What is accepted is kept, and tried for 24 hours. Keep the secret
          key on your server: whoever has it can send in your name.
        </p>
        <SegmentedControl
          aria-label="Language"
          size="xs"
          data={languages}
          value={language}
          onChange={(value) => setLanguage(value as Language)}
        />
        <section aria-label="Send a mail">
          <h3>Send a mail</h3>
          <code className={styles.call}>POST {mailHost}/send-mail</code>
          <ul>
            {fields.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <div className={styles.example}>
            <pre tabIndex={0} aria-label={`Send a mail: ${language}`}>
              {text}
            </pre>
            <CopyButton value={text} copied="Copied" what={`Send a mail: ${language}`} />
          </div>
        </section>
        {submission && (
          <section aria-label="SMTP">
            <h3>SMTP</h3>
            <FactTable
              label="SMTP settings"
              rows={[
                { label: 'Host', value: <span className="mono">{submission.host}</span> },
                {
                  label: 'Port',
                  value: <span className="mono">{submission.port} (STARTTLS)</span>,
                },
                { label: 'User name', value: 'The address that sends' },
                { label: 'Password', value: 'Its secret key' },
              ]}
            />
          </section>
        )}
      </div>
    </details>
  )
}
