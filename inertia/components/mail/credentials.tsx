import { useState } from 'react'
import { CopyButton } from '@ui/copy_button'
import { Dialog } from '@ui/dialog'
import { DisabledReason } from '@ui/disabled_reason'
import { FactTable } from '~/components/fact_table'
import { AccessKeyId } from '~/components/vault/secret_key'
import styles from '~/components/vault/vault.module.css'
import { ApiDocumentation } from './api_documentation'
import { RotateForm } from './rotate_form'
import { SecretKey } from './secret_key'
import type { EmailPage } from './types'

/** What programs need to send from an address. */
export function Credentials({ page, barred }: { page: EmailPage; barred: string | null }) {
  const { email, mailHost, accessKeyId } = page
  const [rotating, rotate] = useState(false)
  return (
    <section className={styles.part} aria-label="Credentials">
      <header className={styles.head}>
        <h2>Credentials</h2>
        <DisabledReason variant="default" reason={barred} onClick={() => rotate(true)}>
          Change secret key
        </DisabledReason>
      </header>
      <FactTable
        label="Credentials"
        rows={[
          { label: 'Access Key Id', value: <AccessKeyId value={accessKeyId} /> },
          { label: 'Secret Key', value: <SecretKey id={email.id} masked={email.secret_key} /> },
          {
            label: 'API',
            value: (
              <>
                <span className="mono">{mailHost}/send-mail</span>
                <CopyButton value={`${mailHost}/send-mail`} copied="Copied" what="API address" />
              </>
            ),
          },
        ]}
      />
      <ApiDocumentation place={page} email={email.email} />
      <Dialog opened={rotating} onClose={() => rotate(false)} title="Change secret key">
        {rotating && <RotateForm id={email.id} onDone={() => rotate(false)} />}
      </Dialog>
    </section>
  )
}
