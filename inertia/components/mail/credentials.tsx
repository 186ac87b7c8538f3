import { useState } from 'react'
import { CopyButton } from '@ui/copy_button'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { ContentSection } from '~/components/content_section'
import { DescriptionList } from '~/components/description_list'
import { RotateSecretForm } from '~/components/vault/rotate_secret_form'
import { ApiDocumentation } from './api_documentation'
import { CopyableAccessKeyId, MaskedSecretKey } from '~/components/vault/masked_secret_key'
import type { SenderPage } from './types'

export function Credentials({ page, barred }: { page: SenderPage; barred: string | null }) {
  const { email, mailHost, accessKeyId } = page
  const [rotating, rotate] = useState(false)
  return (
    <ContentSection
      title="Credentials"
      action={
        <ButtonWithDisabledReason variant="default" reason={barred} onClick={() => rotate(true)}>
          Change secret key
        </ButtonWithDisabledReason>
      }
    >
      <DescriptionList
        label="Credentials"
        rows={[
          { label: 'Access Key Id', value: <CopyableAccessKeyId value={accessKeyId} /> },
          {
            label: 'Secret Key',
            value: <MaskedSecretKey from="/email/secret" id={email.id} masked={email.secret_key} />,
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
        {rotating && (
          <RotateSecretForm
            to="/email/secret/rotate"
            of={{ id: email.id }}
            accessKeyId={accessKeyId}
            onDone={() => rotate(false)}
          />
        )}
      </Dialog>
    </ContentSection>
  )
}
