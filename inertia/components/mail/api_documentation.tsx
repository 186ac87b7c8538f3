import { useState } from 'react'
import { SegmentedControl } from '@mantine/core'
import { CopyButton } from '@ui/copy_button'
import { DescriptionList } from '~/components/description_list'
import styles from '~/components/vault/vault.module.css'
import { codeExample, exampleLanguages, type ExampleLanguage } from './code_examples'
import type { SendingEndpoints } from './types'

const fields = [
  'sender_email: a verified address from this list',
  'sender_name: the display name of the sender',
  'recipient_email and recipient_name: the recipient',
  'subject: one line',
  'mail_body: the message, in HTML',
]

export function ApiDocumentation({
  account,
  email,
}: {
  account: SendingEndpoints
  email?: string
}) {
  const [language, setLanguage] = useState<ExampleLanguage>('curl')
  const { mailHost, accessKeyId, submission } = account
  const text = codeExample(language, { mailHost, accessKeyId, email })
  return (
    <details className={styles.documentation}>
      <summary>API documentation</summary>
      <div className={styles.documented}>
        <p>
          Each call sends two headers: <code>X-Access-Key-Id: {accessKeyId}</code> and the secret
          key of the address in <code>X-Secret-Key</code>. The response contains{' '}
          <code>success</code> and <code>message</code>.
        </p>
        <p>
          Berth stores accepted messages and retries them for 24 hours. Keep the secret key on your
          server. Anyone who has it can send email in your name.
        </p>
        <SegmentedControl
          aria-label="Language"
          size="xs"
          data={exampleLanguages}
          value={language}
          onChange={(value) => setLanguage(value as ExampleLanguage)}
        />
        <section aria-label="Send an email">
          <h3>Send an email</h3>
          <code className={styles.call}>POST {mailHost}/send-mail</code>
          <ul>
            {fields.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <div className={styles.example}>
            <pre tabIndex={0} aria-label={`Send an email: ${language}`}>
              {text}
            </pre>
            <CopyButton value={text} copied="Copied" what={`Send an email: ${language}`} />
          </div>
        </section>
        {submission && (
          <section aria-label="SMTP">
            <h3>SMTP</h3>
            <DescriptionList
              label="SMTP settings"
              rows={[
                { label: 'Host', value: <span className="mono">{submission.host}</span> },
                {
                  label: 'Port',
                  value: <span className="mono">{submission.port} (STARTTLS)</span>,
                },
                { label: 'Username', value: 'The sender address' },
                { label: 'Password', value: 'The secret key of the address' },
              ]}
            />
          </section>
        )}
      </div>
    </details>
  )
}
