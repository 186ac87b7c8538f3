import { useState } from 'react'
import { CopyButton } from '@ui/copy_button'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { DescriptionList } from '~/components/description_list'
import { CopyableAccessKeyId } from '~/components/vault/masked_secret_key'
import styles from '~/components/vault/vault.module.css'
import { ApiDocumentation } from './api_documentation'
import { RotateSecretForm } from './rotate_secret_form'
import { MaskedSecretKey } from './masked_secret_key'
import type { SenderPage } from './types'

export function Credentials({ page, barred }: { page: SenderPage; barred: string | null }) {
  const { email, mailHost, accessKeyId } = page
  const [rotating, rotate] = useState(false)
  return (
    <section className={styles.part} aria-label="Credentials">
      <header className={styles.head}>
        <h2>Credentials</h2>
        <ButtonWithDisabledReason variant="default" reason={barred} onClick={() => rotate(true)}>
          Change secret key
        </ButtonWithDisabledReason>
      </header>
      <DescriptionList
        label="Credentials"
        rows={[
          { label: 'Access Key Id', value: <CopyableAccessKeyId value={accessKeyId} /> },
          {
            label: 'Secret Key',
            value: <MaskedSecretKey id={email.id} masked={email.secret_key} />,
          },
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
      <ApiDocumentation account={page} email={email.email} />
      <Dialog opened={rotating} onClose={() => rotate(false)} title="Change secret key">
        {rotating && <RotateSecretForm id={email.id} onDone={() => rotate(false)} />}
      </Dialog>
    </section>
  )
}
