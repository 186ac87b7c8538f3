import { useState } from 'react'
import { CopyableText } from '@ui/copyable_text'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { ContentSection } from '~/components/content_section'
import { DescriptionList } from '~/components/description_list'
import { cdnUrl } from './paths_and_links'
import { AccessKeys } from './access_keys'
import { RotateSecretForm } from './rotate_secret_form'
import { CopyableAccessKeyId, MaskedSecretKey } from './masked_secret_key'
import type { VaultPage } from './types'
import { useVaultKeys } from './use_vault_keys'
import styles from './vault.module.css'

export function Credentials({ page, barred }: { page: VaultPage; barred: string | null }) {
  const { vault, cdnHost, s3Endpoint, accessKeyId, vaultHost } = page
  const keys = useVaultKeys(vault.id)
  const [rotating, rotate] = useState(false)
  const copied = (value: string, what: string, message = 'Copied') => (
    <CopyableText text={value} copied={message} what={what} />
  )
  const ending = keys.own.find(({ expires_at: end }) => end !== null)

  return (
    <>
      <ContentSection
        title="API credentials and CDN address"
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
              value: (
                <MaskedSecretKey from="/vault/secret" id={vault.id} masked={vault.secret_key} />
              ),
            },
            {
              label: 'CDN address',
              value: copied(cdnUrl(cdnHost, vault.key), 'CDN address', 'CDN Copied!'),
            },
            { label: 'API', value: copied(vaultHost, 'API address') },
          ]}
        />
        {ending && (
          <p className={styles.calm}>The previous secret key still works for a limited time.</p>
        )}
      </ContentSection>
      <ContentSection title="S3">
        <p className={styles.calm}>
          Use S3 tools such as aws-cli, rclone and restic with the same objects. They sign in with
          an access key. Create one key for each program.
        </p>
        <DescriptionList
          label="S3"
          rows={[
            { label: 'Endpoint', value: copied(s3Endpoint, 'endpoint') },
            { label: 'Bucket', value: copied(vault.key, 'bucket') },
            { label: 'Region', value: <span className="mono">us-east-1</span> },
            { label: 'Address style', value: 'Path style (bucket name in the path)' },
          ]}
        />
        <AccessKeys vault={vault.id} accessKeyId={accessKeyId} keys={keys} barred={barred} />
      </ContentSection>
      <Dialog opened={rotating} onClose={() => rotate(false)} title="Change secret key">
        {rotating && (
          <RotateSecretForm
            to="/vault/secret/rotate"
            of={{ id: vault.id }}
            accessKeyId={accessKeyId}
            onDone={() => {
              rotate(false)
              keys.again()
            }}
          />
        )}
      </Dialog>
    </>
  )
}
